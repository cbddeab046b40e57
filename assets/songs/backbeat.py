"""Backbeat: the acoustic kit, a bass, an electric piano and a clavinet, half a minute at 96.

It shows how drums and keys answer velocity: ghost notes on the snare, accents on the hats.
"""

from score import Track

BARS = 12

# Bass and a voicing for each of four bars, which go round: D minor 9, G 13, C major 9, A 7.
CHORDS = [
    (38, [53, 57, 60, 64]),
    (31, [53, 57, 59, 64]),
    (36, [52, 55, 59, 62]),
    (33, [49, 55, 58, 64]),
]

KICK, SNARE, RIM, CLOSED, OPEN, CRASH, RIDE = 36, 38, 37, 42, 46, 49, 51


def conductor():
    track = Track("Backbeat")
    track.add(0, [0xFF, 0x58, 4, 4, 2, 24, 8])
    track.tempo(0, 96)
    return track


def drums():
    track = Track("Acoustic Kit", 10, volume=104, loose=0.008, uneven=3)
    for number in range(BARS):
        start = 4.0 * number
        # Eighths on the hats, loud and soft in turn; in the last third the ride.
        cymbal = RIDE if number >= 8 else CLOSED
        for eighth in range(8):
            last = eighth == 7 and number % 4 == 3 and cymbal == CLOSED
            velocity = 84 if eighth % 2 == 0 else 52
            track.note(start + 0.5 * eighth, 0.2, OPEN if last else cymbal, velocity)
        for beat in (0.0, 1.75, 2.5):
            track.note(start + beat, 0.2, KICK, 100 if beat == 0.0 else 84)
        for beat in (1.0, 3.0):
            track.note(start + beat, 0.2, SNARE, 104)
        for beat in (1.75, 2.25, 3.75):
            track.note(start + beat, 0.1, SNARE, 34)
        if number % 4 == 3:
            for step, tom in enumerate((50, 47, 45, 43)):
                track.note(start + 3.0 + 0.25 * step, 0.2, tom, 82 + 6 * step)
        if number % 4 == 0:
            track.note(start, 1.0, CRASH, 92)
    track.note(4.0 * BARS, 2.0, CRASH, 100)
    track.note(4.0 * BARS, 0.2, KICK, 110)
    return track


def bass():
    track = Track("Fretless Mood", 2, volume=102, loose=0.01)
    for number in range(BARS):
        root, start = CHORDS[number % 4][0], 4.0 * number
        for beat, beats, step, velocity in (
            (0.0, 0.9, 0, 100),
            (1.5, 0.4, 0, 70),
            (1.75, 0.6, 12, 92),
            (2.5, 0.9, 0, 96),
            (3.5, 0.4, 7, 80),
        ):
            track.note(start + beat, beats, root + step, velocity)
    track.note(4.0 * BARS, 4.0, 38, 100)
    return track


def piano():
    track = Track("Velvet Tines", 1, volume=96, pan=52, loose=0.012)
    for number in range(BARS):
        keys, start = CHORDS[number % 4][1], 4.0 * number
        track.chord(start + 0.5, 0.8, keys, 76)
        track.chord(start + 2.0, 0.3, keys, 60)
        track.chord(start + 2.75, 1.2, keys, 88)
    track.chord(4.0 * BARS, 5.0, [50, 53, 57, 60, 64], 84, strum=0.04)
    return track


def clav():
    track = Track("Glasshouse Clav", 3, volume=84, pan=84, loose=0.008)
    for number in range(4, BARS):
        keys, start = CHORDS[number % 4][1], 4.0 * number
        for step in (0.75, 1.25, 1.5, 2.25, 3.25, 3.5):
            track.note(start + step, 0.12, keys[round(4 * step) % 4] + 12, 58 + round(20 * (step % 1)))
    return track


PARTS = [conductor, drums, bass, piano, clav]
