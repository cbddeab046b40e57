"""What the hosts' tests share: measuring sound, spoiling states, and running what is called test_."""
import contextlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import traceback

import numpy as np

RATE = 48_000
LATENCY = 64
# Rows of the engine's table, and bypass and MPE.
PARAMETERS = 381


def pitch(sound):
    """The pitch of a sound whose first partial crosses zero once a period."""
    below, above = sound[:-1] < 0, sound[1:] >= 0
    at = np.flatnonzero(below & above)
    exact = at + sound[at] / (sound[at] - sound[at + 1])
    return RATE * (len(exact) - 1) / (exact[-1] - exact[0])


def first_sound(sound):
    return int(np.flatnonzero(sound)[0])


def same(a, b):
    return a.shape == b.shape and np.array_equal(a.view(np.uint32), b.view(np.uint32))


def performance(seed, seconds, block):
    """MIDI messages with their frames: chords, soft and loud, with wheel, bend, pressure and pedal. JUCE gives
    controllers to a VST3 at the start of the block that they are in, so there they are; and it divides bends by
    another number than we do, so there is only the lowest."""
    dice = random.Random(seed)
    events, now = [], RATE // 10
    while now < (seconds - 1) * RATE:
        for key in dice.sample(range(36, 92), dice.randrange(1, 5)):
            end = now + dice.randrange(RATE // 50, RATE)
            events += [(bytes([0x90, key, dice.randrange(1, 128)]), now), (bytes([0x80, key, 64]), end)]
        value, soon = dice.randrange(128), (now // block + 1) * block
        controller = dice.choice([[0xB0, 1, value], [0xE0, 0, 0], [0xD0, value], [0xB0, 64, value & 64]])
        events.append((bytes(controller), soon))
        now += dice.randrange(RATE // 20, RATE // 2)
    return sorted(events, key=lambda event: event[1])


def in_seconds(events):
    """The same with times of a host, which cuts off fractions of a frame."""
    return [(message, (frame + 0.25) / RATE) for message, frame in events]


def reference(events, seconds, settings=""):
    """The same performance by the command line, with other blocks and other threads. A patch of nothing but `settings`
    has the values that the plugin starts with."""
    with tempfile.TemporaryDirectory() as folder:
        song, sound = pathlib.Path(folder, "song.mid"), pathlib.Path(folder, "sound.wav")
        patch = pathlib.Path(folder, "patch.toml")
        song.write_bytes(midi_file([*events, (b"\xff\x2f\0", int(seconds * RATE))]))
        patch.write_text(f'format = 3\nname = "Reference"\n{settings}')
        command = [os.environ["MYRIAD"], "render", song, "--patch", patch, "--output", sound, "--bits", "32f",
                   "--renderer", "cpu"]
        subprocess.run(command, check=True, capture_output=True)
        data = sound.read_bytes()
    at = data.index(b"data") + 8
    frames = np.frombuffer(data, np.float32, 2 * int(seconds * RATE), at)
    return frames.reshape(-1, 2).T


def midi_file(events):
    """A MIDI file whose ticks are frames: 120 beats a minute, and half as many ticks a beat as frames a second."""
    track, last = b"", 0
    for message, frame in events:
        delta, last = frame - last, frame
        digits = [delta & 127]
        while delta := delta >> 7:
            digits.append(delta & 127 | 128)
        track += bytes(reversed(digits)) + message
    head = (0).to_bytes(2) + (1).to_bytes(2) + (RATE // 2).to_bytes(2)
    return b"MThd" + (6).to_bytes(4) + head + b"MTrk" + len(track).to_bytes(4) + track


def assert_follows(heard, expected):
    """What a host plays is the reference, bit for bit, later by the plugin's latency."""
    assert np.abs(expected).max() > 0.05, "the reference is silent"
    heard = heard[:, LATENCY:]
    expected = expected[:, : heard.shape[1]]
    differs = np.flatnonzero((heard != expected).any(axis=0))
    assert len(differs) == 0, f"{len(differs)} frames differ, from frame {differs[0]} on"


def spoiled(state, count):
    """States that are none: noise, changed bytes, cut short."""
    dice = random.Random(1)
    for index in range(count):
        changed = bytearray(state)
        match index % 3:
            case 0:
                changed = bytearray(dice.randbytes(dice.randrange(1, 2_000)))
            case 1:
                for _ in range(dice.randrange(1, 20)):
                    changed[dice.randrange(len(changed))] = dice.randrange(256)
            case 2:
                del changed[dice.randrange(1, len(changed)):]
        yield bytes(changed)


@contextlib.contextmanager
def display():
    """A display without a screen, by its name."""
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield ":" + server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def run(host, tests):
    """Runs the functions called test_, or the share of them that the command line asks for (`0/2`: every
    second), and says how many passed; the first failure ends it."""
    share, shares = (int(number) for number in (sys.argv[2] if len(sys.argv) > 2 else "0/1").split("/"))
    names = [name for name in tests if name.startswith("test_")][share::shares]
    for name in names:
        try:
            tests[name]()
        except Exception:
            print(f"{host}: {name} failed", file=sys.stderr)
            traceback.print_exc()
            sys.exit(1)
    print(f"{host}: {len(names)} tests passed", flush=True)
