"""Procession: the library's winds, strings, skins and voices, on foot, in three.

D dorian. A drone is heard from far away; reeds take up a tune, plucked strings and drums join, the
horns answer, singers carry it, bells and an organ bring it home to D major.
"""

from score import EXPRESSION, SUSTAIN, WHEEL, Track

BAR = 3.0

# Where the song changes, in bars.
FAR, REEDS, WALK, HORNS, SINGERS, HOME = 1, 5, 13, 21, 29, 37

# One chord a bar: the bass, and three notes above middle C's octave.
DM = (38, [57, 62, 65])
C = (36, [55, 60, 64])
G = (43, [55, 59, 62])
AM = (45, [57, 60, 64])
F = (41, [57, 60, 65])
TUNE_HARMONY = [DM, DM, C, DM, F, C, AM, DM]
ANSWER_HARMONY = [F, C, G, DM, F, G, AM, DM]

# The tune, eight bars, and its answer: (beats, key).
TUNE = [
    (2.0, 74), (1.0, 76), (1.5, 77), (0.5, 76), (1.0, 74), (2.0, 72), (1.0, 67), (3.0, 69),
    (1.5, 72), (0.5, 74), (1.0, 77), (1.5, 76), (0.5, 74), (1.0, 72), (2.0, 69), (1.0, 72), (3.0, 74),
]  # fmt: skip
ANSWER = [
    (2.0, 77), (1.0, 81), (1.5, 79), (0.5, 77), (1.0, 76), (2.0, 74), (1.0, 71), (3.0, 74),
    (1.0, 81), (1.0, 79), (1.0, 77), (1.5, 79), (0.5, 77), (1.0, 74), (2.0, 76), (1.0, 72), (3.0, 74),
]  # fmt: skip


def bar(number, beat=0.0):
    """The time of a beat (from 0) of a bar (from 1)."""
    return (number - 1) * BAR + beat


def harmony(number):
    """The chord of a bar."""
    around = ANSWER_HARMONY if HORNS <= number < SINGERS else TUNE_HARMONY
    return around[(number - REEDS) % 8]


def lower(line, by):
    """A line in another octave."""
    return [(beats, None if key is None else key - by) for beats, key in line]


def third_below(line):
    """The same line a third below, in D dorian."""
    scale = [0, 2, 4, 5, 7, 9, 11]  # D dorian has the notes of C major.
    def step(key):
        octave, degree = key // 12, scale.index(key % 12)
        below = octave * 7 + degree - 2
        return below // 7 * 12 + scale[below % 7]
    return [(beats, step(key)) for beats, key in line]


def conductor():
    track = Track("Procession")
    track.add(0, [0xFF, 0x58, 4, 3, 2, 24, 8])
    track.tempo(0, 104)
    track.tempo(bar(WALK), 112)
    track.tempo(bar(HORNS), 116)
    for step in range(6):
        track.tempo(bar(HOME - 2, step), 112 - 5 * step)
    track.tempo(bar(HOME), 72)
    return track


def drone():
    track = Track("Shruti Morning", 1, volume=78)
    track.note(bar(FAR), 11.9, 50, 80)
    track.note(bar(REEDS), 23.9, 50, 80)
    track.swell(EXPRESSION, [(0, 30), (bar(REEDS), 104), (bar(WALK, -2), 100), (bar(WALK), 60)])
    return track


def wheel():
    track = Track("Hurdy Wheel", 2, volume=70, pan=44)
    for number in range(WALK, SINGERS):
        track.note(bar(number), 2.95, 50 if harmony(number) in (DM, F, AM) else 55, 76)
    track.swell(EXPRESSION, [(bar(WALK), 84), (bar(HORNS), 104), (bar(SINGERS), 70)])
    return track


def fog():
    track = Track("Bass Flute Fog", 3, volume=96, pan=72, loose=0.02)
    track.line(bar(FAR, 3), [(3.0, 69), (2.0, 72), (1.0, 71), (3.0, 69)], 78)
    track.line(bar(SINGERS), lower(TUNE, 0), 72)
    return track


def oboe():
    track = Track("Oboe Meadow", 4, volume=84, pan=56, loose=0.015)
    track.line(bar(REEDS), TUNE, 88)
    track.line(bar(WALK), third_below(TUNE), 84)
    track.swell(EXPRESSION, [(bar(REEDS), 90), (bar(REEDS, 9), 112), (bar(WALK), 96)])
    return track


def viola():
    track = Track("Viola Alone", 5, volume=88, pan=80, loose=0.015)
    line = [(6.0, 57), (3.0, 55), (3.0, 57), (3.0, 60), (3.0, 55), (3.0, 57), (3.0, 57)]
    track.line(bar(REEDS), line, 74)
    track.line(bar(WALK), TUNE, 92)
    track.swell(EXPRESSION, [(bar(REEDS), 80), (bar(WALK), 112), (bar(HORNS), 96)])
    track.note(bar(HOME), 10.0, 66, 84)
    track.swell(EXPRESSION, [(bar(HOME), 110), (bar(HOME, 10), 20)])
    return track


def harp():
    track = Track("Harp of Rain", 6, volume=96, pan=86, loose=0.01, uneven=6)
    for number in range(WALK, HOME):
        root, chord = harmony(number)
        keys = [root + 12, *chord, chord[1] + 12, chord[0] + 12]
        for step, key in enumerate(keys):
            track.note(bar(number, step / 2), 0.6, key, 74 if step == 0 else 58)
    for step, key in enumerate([50, 57, 62, 66, 69, 74, 78, 81, 86]):
        track.note(bar(HOME, step * 0.14), 6.0, key, 72)
    return track


def pizzicato():
    track = Track("Pizzicato Row", 7, volume=110, pan=52, loose=0.008)
    for number in range(WALK, HOME):
        root, chord = harmony(number)
        track.note(bar(number), 0.4, root, 92)
        track.chord(bar(number, 1), 0.3, chord[:2], 66)
        track.chord(bar(number, 2), 0.3, chord[1:], 70)
    return track


def drum():
    track = Track("Talking Drum", 8, volume=104, pan=60, loose=0.006, uneven=6)
    for number in range(WALK, HOME - 1):
        track.note(bar(number), 0.4, 50, 92)
        track.note(bar(number, 1.5), 0.3, 57, 62)
        track.note(bar(number, 2), 0.3, 55, 78)
        if number % 2 == 0:
            track.note(bar(number, 2.5), 0.3, 62, 70)
    return track


def kettle():
    track = Track("Kettle Thunder", 9, volume=104)
    for number in range(HORNS, HOME):
        track.note(bar(number), 1.0, 50 if harmony(number)[0] in (38, 41) else 45, 84)
    # A roll into each new part.
    for end in (bar(HORNS), bar(SINGERS), bar(HOME)):
        for step in range(16):
            track.note(end - 2.0 + step / 8, 0.2, 45, 36 + 4 * step)
    track.note(bar(HOME), 4.0, 38, 112)
    return track


def horns():
    track = Track("Horn Distance", 11, volume=92, pan=48, loose=0.015)
    track.line(bar(HORNS), lower(ANSWER, 12), 94)
    track.chord(bar(HOME), 9.0, [54, 57, 62], 88)
    track.swell(EXPRESSION, [(bar(HORNS), 100), (bar(HORNS, 18), 120), (bar(SINGERS), 96)])
    track.swell(EXPRESSION, [(bar(HOME), 112), (bar(HOME, 9), 24)])
    return track


def tuba():
    track = Track("Tuba Garden", 12, volume=92)
    for number in range(HORNS, HOME):
        track.note(bar(number), 1.6, harmony(number)[0] + 12, 86)
    track.note(bar(HOME), 8.0, 50, 90)
    track.swell(EXPRESSION, [(bar(HOME), 110), (bar(HOME, 8), 30)])
    return track


def singers():
    track = Track("Glass Choir", 13, volume=100, pan=60, loose=0.02)
    for number in range(SINGERS, HOME):
        root, chord = harmony(number)
        track.chord(bar(number), 2.98, [chord[0], chord[2], chord[1] + 12], 84)
    track.swell(EXPRESSION, [(bar(SINGERS), 80), (bar(HOME), 122), (bar(HOME, 10), 40)])
    track.swell(WHEEL, [(bar(SINGERS), 10), (bar(HOME), 100), (bar(HOME, 9), 30)])
    track.chord(bar(HOME), 10.0, [57, 62, 66, 74], 92)
    return track


def sisters():
    track = Track("Alto Window", 14, volume=92, pan=66, loose=0.01)
    track.line(bar(SINGERS), TUNE, 94)
    track.note(bar(HOME), 8.0, 74, 90)
    track.swell(EXPRESSION, [(bar(SINGERS), 100), (bar(HOME), 118), (bar(HOME, 8), 30)])
    return track


def bells():
    track = Track("Bronze Court", 15, volume=104, pan=78, loose=0.008)
    track.control(bar(SINGERS), SUSTAIN, 127)
    for number in range(SINGERS, HOME):
        chord = harmony(number)[1]
        track.note(bar(number), 2.0, chord[0] + 12, 78)
        track.note(bar(number, 1.5), 1.0, chord[2] + 12, 60)
    for step, key in enumerate([86, 81, 78, 74, 69, 66, 62]):
        track.note(bar(HOME, 1.0 + step * 0.9), 2.0, key, 84 - 6 * step)
    return track


def organ():
    track = Track("Full Swell", 16, volume=70)
    track.chord(bar(HOME - 4), 11.9, [38, 50, 57], 90)
    track.swell(EXPRESSION, [(bar(HOME - 4), 20), (bar(HOME), 110)])
    track.chord(bar(HOME), 9.5, [38, 50, 57, 62, 66], 90)
    track.swell(EXPRESSION, [(bar(HOME), 116), (bar(HOME, 9), 30)])
    return track


PARTS = [conductor, drone, wheel, fog, oboe, viola, harp, pizzicato, drum, kettle, horns, tuba, singers, sisters, bells, organ]
