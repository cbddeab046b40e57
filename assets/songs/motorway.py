"""Motorway: what sequences, basses and leads do at 112 beats a minute.

A minor, one chord a bar. Most of the movement is the patches' own: a track holds a chord and its
arpeggiator, drawn steps or gate make the rhythm, in time with the song.
"""

from score import EXPRESSION, WHEEL, Track

BAR = 4.0

# Where the song changes, in bars.
INTRO, GROOVE, LEAD, BREAK, RETURN, END = 1, 5, 9, 17, 21, 29

# Bass, and a close voicing: A minor, F, C and G, with what makes them less plain.
AM = (33, [57, 60, 64, 67])
F7 = (29, [57, 60, 64, 65])
C2 = (36, [55, 60, 62, 64])
G4 = (31, [55, 59, 60, 62])
DM = (38, [57, 60, 62, 65])
E7 = (28, [56, 59, 62, 64])
LOOP = [AM, F7, C2, G4]
TURN = [AM, F7, DM, E7]


def bar(number, beat=0.0):
    """The time of a beat (from 0) of a bar (from 1)."""
    return (number - 1) * BAR + beat


def harmony(number):
    """The chord of a bar: four bars that go round, and every second time they turn."""
    around = TURN if (number - 1) // 4 % 2 else LOOP
    return around[(number - 1) % 4]


def conductor():
    track = Track("Motorway")
    track.add(0, [0xFF, 0x58, 4, 4, 2, 24, 8])
    track.tempo(0, 112)
    for step in range(4):
        track.tempo(bar(END - 1, step), 110 - 4 * step)
    track.tempo(bar(END), 92)
    return track


def pad():
    track = Track("Analog Hearth", 1, volume=88, pan=58, loose=0.02)
    for number in [*range(INTRO, GROOVE), *range(LEAD, END)]:
        track.chord(bar(number), 3.95, harmony(number)[1], 70)
    track.chord(bar(END), 9.0, AM[1], 80)
    track.swell(EXPRESSION, [(0, 60), (bar(GROOVE), 118), (bar(LEAD), 96), (bar(BREAK), 112), (bar(RETURN), 92)])
    track.swell(EXPRESSION, [(bar(END), 116), (bar(END, 9), 40)])
    return track


def bass():
    # One key a bar; the sixteenths and the jumps are the patch's.
    track = Track("Motorway Bass", 2, volume=100)
    for number in [*range(3, BREAK), *range(RETURN, END)]:
        track.note(bar(number), 3.98, harmony(number)[0] + 12, 84 if number < GROOVE else 100)
    track.swell(EXPRESSION, [(0, 60), (bar(GROOVE), 112), (bar(END), 112)])
    return track


def floor():
    # Under the break, where nothing else is low.
    track = Track("Hoover Floor", 3, volume=84)
    for number in range(BREAK, RETURN):
        track.note(bar(number), 3.0, harmony(number)[0] + 12, 92)
    track.note(bar(END), 7.0, 33, 100)
    track.swell(EXPRESSION, [(bar(END), 120), (bar(END, 7), 30)])
    return track


def arp():
    track = Track("Night Drive Arp", 4, volume=92, pan=76)
    for number in [*range(GROOVE, BREAK), *range(RETURN, END)]:
        track.chord(bar(number), 3.95, harmony(number)[1][:3], 82)
    return track


def gate():
    track = Track("Stutter Gate", 5, volume=76, pan=50)
    for number in [*range(LEAD + 4, BREAK), *range(RETURN, END)]:
        track.chord(bar(number), 3.95, [key + 12 for key in harmony(number)[1][1:]], 76)
    return track


def engine():
    track = Track("Chord Engine", 6, volume=84, pan=70)
    for number in range(BREAK, RETURN):
        track.note(bar(number), 3.9, harmony(number)[0] + 24, 88)
    return track


def talk():
    track = Track("Talking Steps", 7, volume=86, pan=48)
    for number in range(BREAK, RETURN):
        track.chord(bar(number), 3.9, harmony(number)[1][1:], 80)
    track.swell(EXPRESSION, [(bar(BREAK), 70), (bar(RETURN), 120)])
    return track


def lead():
    track = Track("Talkbox Lead", 8, volume=88, loose=0.006)
    # Two bars call, two answer; the last phrase climbs.
    phrases = [
        (LEAD, [(1.5, 76), (0.5, 74), (1.0, 72), (1.0, 74), (2.5, 72), (0.5, 69), (1.0, 72)]),
        (LEAD + 2, [(1.5, 76), (0.5, 79), (1.0, 76), (1.0, 74), (3.0, 71), (1.0, None)]),
        (LEAD + 4, [(1.5, 76), (0.5, 74), (1.0, 72), (1.0, 76), (2.5, 77), (0.5, 76), (1.0, 72)]),
        (LEAD + 6, [(1.0, 74), (1.0, 77), (1.0, 81), (1.0, 79), (2.0, 80), (2.0, 76)]),
    ]
    for number, phrase in phrases:
        # Neighbours overlap, so that they are tied.
        beat = bar(number)
        for beats, key in phrase:
            if key is not None:
                track.note(beat, beats + 0.05, key, 96)
            beat += beats
    track.swell(WHEEL, [(bar(LEAD), 10), (bar(LEAD + 4), 60), (bar(LEAD + 6), 20), (bar(BREAK), 110), (bar(BREAK, 1), 0)])
    return track


def razor():
    track = Track("Octave Razor", 9, volume=88, pan=66)
    climb = [(0.75, 69), (0.75, 72), (0.5, 74), (1.0, 76), (1.0, 79)]
    fall = [(1.5, 81), (0.5, 79), (1.0, 76), (1.0, 74)]
    rest = [(1.0, 76), (0.5, 74), (0.5, 72), (2.0, 74)]
    for index, phrase in enumerate([climb, fall, climb, rest, climb, fall]):
        track.line(bar(RETURN + index), phrase, 92)
    track.line(bar(RETURN + 6), [(1.0, 77), (1.0, 81), (1.0, 84), (1.0, 81)], 100)
    track.line(bar(RETURN + 7), [(1.0, 83), (1.0, 80), (2.0, 76)], 104)
    track.note(bar(END), 4.0, 81, 108)
    track.swell(WHEEL, [(bar(END), 0), (bar(END, 3), 90), (bar(END, 4), 0)])
    return track


def strings():
    track = Track("Silver Synth Strings", 11, volume=84, pan=60)
    for number in range(RETURN, END):
        track.chord(bar(number), 3.98, [harmony(number)[1][3] + 12, harmony(number)[1][1] + 12], 80)
    track.chord(bar(END), 9.0, [69, 76, 81], 84)
    track.swell(EXPRESSION, [(bar(RETURN), 80), (bar(END), 116), (bar(END, 9), 30)])
    return track


def sparks():
    track = Track("Data Pluck", 12, volume=92, pan=90, loose=0.004, uneven=8)
    for number in range(GROOVE + 2, BREAK):
        keys = [key + 24 for key in harmony(number)[1]]
        for step, beat in enumerate((0.5, 1.25, 2.75, 3.5)):
            track.note(bar(number, beat), 0.2, keys[(step * 3 + number) % 4], 70 + 6 * (step % 2))
    return track


def drums():
    track = Track("Skin and Shell", 10, volume=100, loose=0.002, uneven=4)
    kick, snare, hat, open_hat, crash = 36, 38, 42, 46, 49
    for number in [*range(GROOVE, BREAK), *range(RETURN, END)]:
        for beat in range(4):
            track.note(bar(number, beat), 0.3, kick, 112)
            track.note(bar(number, beat + 0.5), 0.2, open_hat if beat == 3 else hat, 78)
            if number >= LEAD:
                track.note(bar(number, beat + 0.25), 0.1, hat, 48)
                track.note(bar(number, beat + 0.75), 0.1, hat, 52)
        for beat in (1, 3):
            track.note(bar(number, beat), 0.3, snare, 92)
        if number in (LEAD - 1, LEAD + 3, BREAK - 1, RETURN + 3, END - 1):
            for step in range(4):
                track.note(bar(number, 3 + step / 4), 0.2, snare, 60 + 12 * step)
    for number in (GROOVE, LEAD, RETURN, RETURN + 4, END):
        track.note(bar(number), 1.0, crash, 96)
    track.note(bar(END), 1.0, kick, 120)
    return track


def rise():
    track = Track("Riser", 13, volume=78)
    for number in (3, RETURN - 2):
        track.note(bar(number), 7.9, 57, 90)
        track.swell(EXPRESSION, [(bar(number), 20), (bar(number, 7.5), 112), (bar(number, 8), 20)])
    return track


def impact():
    track = Track("Deep Impact", 14, volume=96)
    for number, velocity in [(INTRO, 84), (GROOVE, 96), (BREAK, 90), (RETURN, 104), (END, 112)]:
        track.note(bar(number), 3.0, 45, velocity)
    return track


PARTS = [conductor, pad, bass, floor, arp, gate, engine, talk, lead, razor, drums, strings, sparks, rise, impact]
