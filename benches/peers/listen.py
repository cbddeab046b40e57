"""Listens to a rendered bank: is every partial there, where and as loud as it should be?"""

import array
import cmath
import math
import struct
import sys

from programs import BANK_PARTIALS, OUT, PeerError

SAMPLE_RATE = 48_000
SECONDS = 2.0  # one period of the movement
WINDOW = 4096
TOLERANCE_DB = 1.0
GAP_DB = -30.0  # between partials there must be at least this much less
LARGE_BANKS = 256
LARGE_TOLERANCE_DB = 1.5  # thousands of partials beat; their mean level is not exact


def hear_one_bank(peer):
    """Renders one bank and finds each partial at both ends of the movement; raises PeerError."""
    samples = rendered(peer, 1)
    # The movement is a sine of half a hertz: highest after 0.5 s, lowest after 1.5 s.
    for seconds, movement in ((0.5, 1), (1.5, -1)):
        start = round(seconds * SAMPLE_RATE) - WINDOW // 2
        piece = samples[start : start + WINDOW]
        for i in range(BANK_PARTIALS):
            hz = (50 + 320 * i) * (1 + 0.01 * movement)
            wanted = (0.75 + 0.25 * movement) * (1 - i / (2 * BANK_PARTIALS)) / BANK_PARTIALS
            level = decibels(amplitude(piece, hz) / wanted)
            gap = decibels(amplitude(piece, hz + 160) / wanted)
            if abs(level) > TOLERANCE_DB:
                raise PeerError(f"partial {i} ({hz:.0f} Hz, {seconds} s) is off by {level:+.1f} dB")
            if gap > GAP_DB:
                raise PeerError(f"above partial {i} ({hz:.0f} Hz) something sounds at {gap:.1f} dB")


def hear_many_banks(peer):
    """Renders thousands of partials, compares their power with the sum; returns dB of difference."""
    samples = rendered(peer, LARGE_BANKS)
    power = sum(x * x for x in samples) / len(samples)
    partials = sum((1 - i / (2 * BANK_PARTIALS)) ** 2 / 2 for i in range(BANK_PARTIALS))
    movement = 0.75**2 + 0.25**2 / 2
    wanted = LARGE_BANKS * partials * movement / (LARGE_BANKS * BANK_PARTIALS) ** 2
    off = decibels(math.sqrt(power / wanted))
    if abs(off) > LARGE_TOLERANCE_DB:
        raise PeerError(f"{LARGE_BANKS * BANK_PARTIALS} partials are {off:+.1f} dB from their sum")
    return off


def rendered(peer, banks):
    wav = OUT / f"{peer.name}.wav"
    peer.render(banks, SECONDS, wav)
    samples = read_wav(wav)
    wav.unlink()
    if len(samples) < SECONDS * SAMPLE_RATE - 64:
        raise PeerError(f"rendered {len(samples)} frames, {SECONDS * SAMPLE_RATE:.0f} expected")
    return samples[: round(SECONDS * SAMPLE_RATE)]


def read_wav(path):
    """Samples of a mono 32-bit float WAV; the standard library's reader takes integers only."""
    data = path.read_bytes()
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise PeerError("wrote something that is not a WAV file")
    at = 12
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        if kind == b"fmt ":
            channels, bits = data[at + 10], data[at + 22]
            if (channels, bits) != (1, 32):
                raise PeerError(f"wrote {channels} channels of {bits} bits, not mono float")
        if kind == b"data":
            samples = array.array("f")
            samples.frombytes(data[at + 8 : at + 8 + size // 4 * 4])
            if sys.byteorder == "big":
                samples.byteswap()
            return samples
        at += 8 + size + size % 2
    raise PeerError("wrote a WAV file without samples")


HANN = [0.5 - 0.5 * math.cos(2 * math.pi * n / WINDOW) for n in range(WINDOW)]


def amplitude(piece, hz):
    """Amplitude of the sine at `hz`: one bin of a Hann-windowed Fourier transform."""
    turn = cmath.exp(-2j * math.pi * hz / SAMPLE_RATE)
    phasor, total = 1 + 0j, 0j
    for sample, weight in zip(piece, HANN):
        total += sample * weight * phasor
        phasor *= turn
    return abs(total) * 2 / sum(HANN)


def decibels(ratio):
    return 20 * math.log10(max(ratio, 1e-12))
