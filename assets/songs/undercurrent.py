"""Undercurrent: the electronic kit, a bass, chords that the patch plays by itself, and a lead, at 124."""

from score import EXPRESSION, WHEEL, Track

BARS = 16

# Bass and a voicing: F minor, D flat, A flat, E flat.
CHORDS = [(29, [56, 60, 63, 67]), (25, [56, 60, 61, 65]), (32, [55, 60, 63, 67]), (27, [55, 58, 62, 65])]


def conductor():
    track = Track("Undercurrent")
    track.add(0, [0xFF, 0x58, 4, 4, 2, 24, 8])
    track.tempo(0, 124)
    return track


def drums():
    track = Track("Electronic Kit", 10, volume=108, uneven=2)
    for number in range(BARS):
        start = 4.0 * number
        for beat in range(4):
            track.note(start + beat, 0.2, 36, 112)
            if number >= 4:
                track.note(start + beat + 0.5, 0.2, 46, 78)
        if number >= 2:
            for sixteenth in range(16):
                track.note(start + 0.25 * sixteenth, 0.1, 42, [70, 40, 58, 44][sixteenth % 4])
        if number >= 4:
            track.note(start + 1.0, 0.2, 39, 92)
            track.note(start + 3.0, 0.2, 39, 96)
        if number % 8 == 7:
            for step in range(8):
                track.note(start + 2.0 + 0.25 * step, 0.1, 40, 50 + 8 * step)
    track.note(4.0 * BARS, 2.0, 49, 104)
    return track


def bass():
    track = Track("Reese Engine", 2, volume=92)
    for number in range(2, BARS):
        root, start = CHORDS[number % 4][0] + 12, 4.0 * number
        for beat, beats in ((0.5, 0.4), (1.5, 0.4), (2.5, 0.4), (3.25, 0.2), (3.5, 0.4)):
            track.note(start + beat, beats, root, 100)
    track.swell(WHEEL, [(8, 0), (32, 90), (64, 20)])
    return track


def chords():
    track = Track("Stutter Gate", 1, volume=88, pan=56)
    for number in range(BARS):
        track.chord(4.0 * number, 3.95, CHORDS[number % 4][1], 78)
    track.chord(4.0 * BARS, 4.0, CHORDS[0][1], 84)
    track.swell(EXPRESSION, [(0, 60), (16, 104), (48, 96), (64, 112)])
    return track


def lead():
    track = Track("Solar Lead", 3, volume=84, pan=72)
    line = [(1.5, 72), (0.5, 75), (1.0, 77), (1.0, 79), (3.0, 80), (1.0, 79), (1.5, 77), (0.5, 75), (2.0, 72), (4.0, 70)]
    track.line(32.0, line, 92)
    track.line(48.0, line[:-1], 100)
    track.line(48.0 + sum(beats for beats, _ in line[:-1]), [(4.0, 77)], 104)
    track.swell(WHEEL, [(32, 10), (40, 80), (48, 20), (62, 100)])
    return track


PARTS = [conductor, drums, bass, chords, lead]
