"""Courtyard: plucked strings, a flute and hand percussion, half a minute in three at 84."""

from score import EXPRESSION, WHEEL, Track

BARS = 16

# Root and an open voicing for each bar: E minor, C, G, D, twice, then A minor, E minor, C, B 7.
EM, C, G, D = (40, [55, 59, 64]), (36, [55, 60, 64]), (43, [55, 59, 62]), (38, [54, 57, 62])
AM, B7 = (45, [57, 60, 64]), (35, [54, 57, 63])
CHORDS = [EM, C, G, D, EM, C, G, D, AM, EM, C, B7, AM, EM, B7, EM]


def conductor():
    track = Track("Courtyard")
    track.add(0, [0xFF, 0x58, 4, 3, 2, 24, 8])
    track.tempo(0, 112)
    track.tempo(3.0 * (BARS - 2), 104)
    track.tempo(3.0 * (BARS - 1), 84)
    return track


def guitar():
    track = Track("Nylon Evening", 1, volume=104, pan=50, loose=0.012)
    for number, (root, keys) in enumerate(CHORDS):
        start = 3.0 * number
        if number == BARS - 1:
            track.chord(start, 5.0, [root, 47, *keys, 67], 84, strum=0.06)
            break
        track.note(start, 2.8, root, 88)
        for step in range(1, 6):
            key = [keys[0], keys[1], keys[2], keys[1], keys[0]][step - 1]
            track.note(start + 0.5 * step, 1.2, key, 76 if step in (2, 4) else 62)
    return track


def flute():
    track = Track("Shepherd Flute", 2, volume=92, pan=74, loose=0.015)
    phrase = [(1.5, 71), (0.5, 72), (1.0, 71), (2.0, 67), (1.0, 64), (1.5, 66), (0.5, 67), (1.0, 69), (3.0, 66)]
    answer = [(1.5, 72), (0.5, 74), (1.0, 76), (2.0, 74), (1.0, 71), (1.0, 72), (1.0, 71), (1.0, 69), (3.0, 71)]
    track.line(12.0, phrase, 84)
    track.line(24.0, answer, 94)
    end = track.line(36.0, [(1.0, 72), (1.0, 71), (1.0, 69), (3.0, 71), (1.5, 69), (1.5, 66)], 80)
    track.line(end, [(4.0, 64)], 76)
    track.swell(EXPRESSION, [(12, 70), (18, 112), (24, 88), (30, 122), (40, 96), (48, 60)])
    track.swell(WHEEL, [(12, 10), (16, 60), (24, 20), (32, 70), (48, 30)])
    return track


def strings():
    track = Track("Silk Strings", 3, volume=72, loose=0.02)
    for number in range(8, BARS):
        track.chord(3.0 * number, 2.95, CHORDS[number][1], 60)
    track.swell(EXPRESSION, [(24, 30), (36, 100), (48, 50)])
    return track


def hands():
    track = Track("Hand Percussion", 10, volume=96, loose=0.01)
    for number in range(4, BARS - 1):
        start = 3.0 * number
        track.note(start, 0.3, 64, 92)
        track.note(start + 1.0, 0.2, 62, 56)
        track.note(start + 1.5, 0.2, 63, 74)
        track.note(start + 2.0, 0.2, 63, 60)
        track.note(start + 2.5, 0.2, 62, 48)
        for eighth in range(6):
            track.note(start + 0.5 * eighth, 0.1, 70, 60 if eighth % 2 == 0 else 38)
        if number % 4 == 3:
            track.note(start + 2.0, 1.0, 81, 60)
    return track


PARTS = [conductor, guitar, flute, strings, hands]
