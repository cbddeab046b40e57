"""What the hosts' tests share: measuring sound, spoiling states, and running what is called test_."""
import contextlib
import random
import subprocess
import sys
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
