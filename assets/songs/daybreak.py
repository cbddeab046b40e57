"""Daybreak, the song that Myriad plays first.

D minor that ends in D major: bells and rain over a pad, a groove of bass, tines, marimba and
drums, a lead above strings and choir, and a long last chord. Every track bears the name of the
patch that plays it. There is no echo in the patches, so the rain brings its own: every drop
falls again, softer, three sixteenths later.
"""

from score import EXPRESSION, WHEEL, Track

BAR = 4.0  # Beats. Times in this file are in beats; `bar(n)` counts from 1.

# Where the song changes, in bars.
INTRO, GROOVE, LEAD, CHOIR, END = 1, 5, 9, 13, 17


def bar(number, beat=0.0):
    """The time of a bar's `beat`, both as musicians count bars (from 1) and beats (from 0 here)."""
    return (number - 1) * BAR + beat


# The harmony of bars 5 to 16, one chord a bar: the bass's key and the tines' close voicing, led
# by common tones and steps. Where a fourth is suspended, the bar's second half resolves it.
DM9 = (38, [53, 57, 60, 64])
BB9 = (34, [53, 57, 60, 62])
F_A = (33, [53, 55, 60, 64])
C69 = (36, [52, 55, 57, 62])
GM9 = (31, [53, 57, 58, 62])
AM7 = (33, [52, 55, 60, 62])
C9S = (36, [53, 55, 58, 62])
C9R = (36, [52, 55, 58, 62])
FA2 = (33, [53, 57, 60, 67])
A7S = (33, [52, 55, 57, 62])
A7R = (33, [52, 55, 58, 61])
HARMONY = [DM9, BB9, F_A, C69, GM9, AM7, BB9, C9S, DM9, FA2, GM9, A7S]
RESOLUTIONS = {12: C9R, 16: A7R}
D_MINOR = {2, 4, 5, 7, 9, 10, 0}  # Pitch classes.


def voicings(number):
    """The tines' chords in the first and the second half of a bar."""
    chord = HARMONY[number - GROOVE]
    return chord[1], RESOLUTIONS.get(number, chord)[1]


def conductor():
    track = Track("Myriad demo")
    track.add(0, [0xFF, 0x58, 4, 4, 2, 24, 8])
    track.tempo(0, 84)
    track.tempo(bar(GROOVE, -2), 88)
    track.tempo(bar(GROOVE), 94)
    # Slower into the last chord, and then free.
    for step in range(8):
        track.tempo(bar(END - 1, step / 2), 92 - 3 * step)
    track.tempo(bar(END), 64)
    return track


def bells():
    track = Track("Cathedral Bell", 1, volume=126, pan=52)
    track.note(bar(1), 8, 50, 104)
    track.note(bar(3), 8, 57, 80)
    track.note(bar(GROOVE), 6, 62, 74)
    track.note(bar(LEAD), 6, 62, 66)
    track.note(bar(CHOIR), 6, 57, 86)
    return track


def rain():
    track = Track("Crystal Rain", 2, volume=114, pan=72, loose=0.012, uneven=7)

    def drop(beat, key, velocity):
        # The drop and its echoes.
        for echo, softer in enumerate([1.0, 0.6, 0.36]):
            track.note(beat + 0.75 * echo, 1.2, key, round(velocity * softer))

    phrases = [
        # (beat, key) in each bar of the introduction.
        [(1.0, 81), (1.5, 88), (2.5, 86), (3.5, 93)],
        [(0.5, 84), (1.5, 88), (2.0, 91), (3.0, 81)],
        [(0.5, 82), (1.0, 89), (2.5, 86), (3.0, 93)],
        [(0.0, 84), (1.0, 86), (2.0, 91), (2.5, 88), (3.0, 96)],
    ]
    for index, phrase in enumerate(phrases):
        for beat, key in phrase:
            drop(bar(1 + index, beat), key, 74 + 5 * index)
    for number in (8, 10, 12, 14):
        drop(bar(number, 3.0), 93 if number % 4 else 91, 70)
        drop(bar(number, 3.5), 88, 62)
    # D major, falling.
    for index, key in enumerate([90, 93, 98, 86, 88, 93, 81, 90]):
        drop(bar(END, 0.5 + 0.75 * index), key, 84 - 5 * index)
    return track


def pad():
    track = Track("Aurora", 3, volume=90, pan=60, loose=0.02)
    chords = [[50, 57, 60, 64], [50, 57, 60, 65], [46, 57, 60, 62], [48, 55, 60, 62]]
    for index, keys in enumerate(chords):
        track.chord(bar(1 + index), 3.9, keys, 78)
    track.swell(WHEEL, [(0, 0), (bar(3), 26), (bar(GROOVE), 70), (bar(GROOVE, 2), 0)])
    track.swell(EXPRESSION, [(0, 84), (bar(4, 3), 127), (bar(GROOVE, 2), 104)])
    # Under the groove, only two notes a bar.
    for index, keys in enumerate([[57, 64], [57, 62], [55, 64], [55, 62]]):
        track.chord(bar(GROOVE + index), 3.9, keys, 66)
    track.swell(EXPRESSION, [(bar(LEAD, -1), 104), (bar(LEAD), 92), (bar(END - 1), 92), (bar(END), 118)])
    for number in range(LEAD, END):
        first, then = voicings(number)
        track.chord(bar(number), 2.0 if first != then else 3.9, [first[-1], first[1] + 12], 58)
        if first != then:
            track.chord(bar(number, 2), 1.9, [then[-1], then[1] + 12], 58)
    track.chord(bar(END), 9.0, [50, 57, 64, 66], 82)
    track.swell(EXPRESSION, [(bar(END), 118), (bar(END, 4), 100), (bar(END, 9), 40)])
    return track


def tide():
    track = Track("Tide", 4, volume=104, pan=64)
    # A wave at the start, and one before each change.
    for beat, beats, key, top in [
        (bar(1), 7.0, 45, 90),
        (bar(4), 4.0, 57, 112),
        (bar(12, 1), 3.0, 57, 84),
        (bar(16), 4.5, 57, 118),
        (bar(END, 4), 5.0, 45, 76),
    ]:
        track.note(beat, beats, key, 90)
        track.swell(EXPRESSION, [(beat, 20), (beat + 0.8 * beats, top), (beat + beats, top / 2)])
        track.swell(WHEEL, [(beat, 0), (beat + 0.85 * beats, top * 0.8), (beat + beats, 10)])
    return track


def bass():
    track = Track("Night Bass", 5, volume=94, pan=64, loose=0.006)
    for index, (root, _) in enumerate(HARMONY):
        number = GROOVE + index
        last = number == END - 1
        following = 38 if last else HARMONY[index + 1][0]
        fifth = root + 7 if root + 7 < 43 else root - 5
        # The last note leads to the next root by a step of the scale; sometimes, tied, it slides.
        step = -1 if following >= root else 1
        approach = following + step
        while not last and approach % 12 not in D_MINOR:
            approach += step
        tied = number in (6, 10, 14)
        track.note(bar(number, 0.0), 1.4, root, 98)
        track.note(bar(number, 1.5), 0.45, root, 74)
        track.note(bar(number, 2.0), 0.4, root + 12, 86)
        track.note(bar(number, 2.75), 0.55, fifth, 78)
        track.note(bar(number, 3.5), 0.56 if tied else 0.42, approach, 84)
    track.swell(WHEEL, [(bar(GROOVE), 6), (bar(CHOIR), 30), (bar(END, -1), 54), (bar(END), 0)])
    track.note(bar(END), 8.5, 26, 96)
    track.swell(EXPRESSION, [(bar(END), 127), (bar(END, 3), 110), (bar(END, 8), 30)])
    return track


def tines():
    track = Track("Velvet Tines", 6, volume=90, pan=50, loose=0.014, uneven=6)
    for number in range(GROOVE, END):
        first, then = voicings(number)
        accent = 6 if number >= CHOIR else 0
        track.chord(bar(number, 0.0), 1.35, first, 82 + accent, strum=0.012)
        track.chord(bar(number, 1.5), 0.4, first[1:], 62 + accent)
        track.chord(bar(number, 2.5), 0.9, then, 76 + accent, strum=0.01)
        # A turn on top, every other bar.
        if number % 2 == 0:
            for step, key in enumerate([then[-1] + 12, then[-2] + 12, then[-1] + 7]):
                track.note(bar(number, 3.0 + step / 3), 0.4, key, 58 + 4 * step)
    # The last chord, rolled.
    for index, key in enumerate([50, 57, 62, 64, 66, 69, 74, 76, 78, 81]):
        track.note(bar(END, 0.11 * index), 7.5, key, 74 - 2 * index)
    return track


def marimba():
    track = Track("Rosewood", 12, volume=114, pan=88, loose=0.008, uneven=6)
    rhythm = [0.0, 0.75, 1.5, 2.0, 2.75, 3.5]
    for number in range(GROOVE, END):
        first, then = voicings(number)
        tones = [first[1] + 12, first[3] + 12, first[2] + 12, then[3] + 12, then[0] + 24, then[2] + 12]
        for step, beat in enumerate(rhythm):
            if number == END - 1 and beat >= 2.0:
                break
            velocity = (86 if step in (0, 3) else 68) + (6 if number >= CHOIR else 0)
            track.note(bar(number, beat), 0.4, tones[step], velocity)
    return track


def strings():
    track = Track("Silk Strings", 7, volume=118, pan=70, loose=0.015)
    # Three voices: (bar, beat, beats, keys). They move by step, against the bass.
    voices = [
        (9, 0, 4, [62, 65, 70]),
        (10, 0, 4, [60, 64, 69]),
        (11, 0, 4, [60, 65, 69]),
        (12, 0, 2, [58, 65, 67]),
        (12, 2, 2, [58, 64, 67]),
        (13, 0, 4, [57, 65, 69]),
        (14, 0, 2, [60, 65, 69]),
        (14, 2, 2, [60, 65, 72]),
        (15, 0, 4, [62, 65, 70]),
        (16, 0, 2, [62, 67, 69]),
        (16, 2, 2, [61, 67, 69]),
    ]
    for number, beat, beats, keys in voices:
        track.chord(bar(number, beat), beats + 0.05, keys, 76 if number < CHOIR else 92)
    track.swell(EXPRESSION, [(bar(LEAD), 84), (bar(12), 106), (bar(CHOIR), 96), (bar(15), 112), (bar(END), 122)])
    track.swell(WHEEL, [(bar(LEAD), 0), (bar(CHOIR), 20), (bar(END), 80), (bar(END, 6), 10)])
    track.chord(bar(END), 9.0, [50, 62, 66, 69, 74], 88)
    track.swell(EXPRESSION, [(bar(END), 122), (bar(END, 3), 104), (bar(END, 9), 24)])
    return track


def choir():
    track = Track("Glass Choir", 8, volume=100, pan=56, loose=0.02)
    voices = [
        (3, 0, 8, [69], 76),
        (13, 0, 4, [57, 62, 65, 72], 84),
        (14, 0, 4, [57, 60, 65, 72], 84),
        (15, 0, 4, [58, 62, 65, 74], 90),
        (16, 0, 2, [57, 62, 67, 74], 94),
        (16, 2, 2, [57, 61, 67, 76], 98),
    ]
    for number, beat, beats, keys, velocity in voices:
        track.chord(bar(number, beat), beats + 0.05, keys, velocity)
    track.swell(EXPRESSION, [(bar(3), 60), (bar(4, 2), 112), (bar(GROOVE), 70)])
    track.swell(EXPRESSION, [(bar(CHOIR, -1), 70), (bar(15), 104), (bar(END), 124)])
    # From oo to ah, and back for the end.
    track.swell(WHEEL, [(0, 0), (bar(CHOIR), 10), (bar(END), 96), (bar(END, 5), 50), (bar(END, 10), 0)])
    track.chord(bar(END), 10.0, [57, 62, 66, 69, 78], 96)
    track.swell(EXPRESSION, [(bar(END), 124), (bar(END, 4), 100), (bar(END, 10), 44)])
    return track


def lead():
    track = Track("Solar Lead", 9, volume=106, pan=64, loose=0.008)
    melody = [
        # (bar, beat, beats, key, velocity)
        (8, 3.0, 0.5, 69, 80), (8, 3.5, 0.5, 72, 84),
        (9, 0.0, 1.5, 74, 96), (9, 1.5, 0.5, 77, 90), (9, 2.0, 1.0, 74, 88), (9, 3.0, 0.5, 72, 82), (9, 3.5, 0.5, 70, 80),
        (10, 0.0, 2.2, 72, 94), (10, 2.5, 0.5, 74, 84), (10, 3.0, 0.5, 76, 88), (10, 3.5, 0.5, 79, 92),
        (11, 0.0, 1.5, 77, 98), (11, 1.5, 0.5, 76, 86), (11, 2.0, 1.3, 74, 90), (11, 3.5, 0.5, 69, 80),
        (12, 0.0, 1.0, 74, 90), (12, 1.0, 1.0, 72, 88), (12, 2.0, 1.8, 79, 102),
        (13, 0.0, 1.5, 81, 110), (13, 1.5, 0.5, 79, 96), (13, 2.0, 0.5, 77, 94), (13, 2.5, 0.5, 76, 92), (13, 3.0, 0.9, 77, 98),
        (14, 0.0, 1.5, 81, 106), (14, 1.5, 0.5, 84, 110), (14, 2.0, 1.3, 81, 104), (14, 3.5, 0.5, 79, 96),
        (15, 0.0, 1.0, 77, 102), (15, 1.0, 0.5, 76, 94), (15, 1.5, 0.5, 77, 98), (15, 2.0, 1.0, 82, 114), (15, 3.0, 0.9, 81, 108),
        (16, 0.0, 1.5, 74, 100), (16, 1.5, 0.5, 76, 98), (16, 2.0, 1.25, 73, 102), (16, 3.25, 0.75, 76, 104),
        (17, 0.0, 6.0, 78, 108),
    ]  # fmt: skip
    for index, (number, beat, beats, key, velocity) in enumerate(melody):
        at = bar(number, beat)
        after = bar(*melody[index + 1][:2]) if index + 1 < len(melody) else 1e9
        # Neighbours are tied, so that they glide.
        tie = 0.06 if after - (at + beats) < 0.05 else 0.0
        track.note(at, beats + tie, key, velocity)
    # Scoops into long notes, and one fall.
    for at, semitones in [(bar(9), -1), (bar(10), -2), (bar(12, 2), -2), (bar(13), -1), (bar(15, 2), -1), (bar(17), -2)]:
        track.bend([(at - 0.02, semitones), (at + 0.3, 0)])
    track.bend([(bar(11, 2.8), 0), (bar(11, 3.2), -1.2), (bar(11, 3.45), 0)])
    # The wheel's vibrato grows where notes are long.
    for at, beats, depth in [(bar(9, 0.4), 1.0, 50), (bar(10, 0.6), 1.6, 70), (bar(12, 2.4), 1.4, 90), (bar(13, 0.5), 1.0, 70), (bar(14, 2.3), 1.0, 80), (bar(15, 2.3), 1.5, 90), (bar(17, 1), 5.0, 110)]:
        track.swell(WHEEL, [(at, 0), (at + 0.7 * beats, depth), (at + beats, 0)])
    track.swell(EXPRESSION, [(bar(8, 2), 96), (bar(12), 108), (bar(CHOIR), 116), (bar(END), 118), (bar(END, 3), 100), (bar(END, 6), 20)])
    return track


def drums():
    kick, snare, hat, open_hat, crash = 36, 38, 42, 46, 49
    track = Track("Skin and Shell", 10, volume=102, pan=64, loose=0.004, uneven=5)
    for number in range(GROOVE, END):
        last = number == END - 1
        for beat in (0.0, 1.75, 2.5) if number % 2 else (0.0, 2.5):
            track.note(bar(number, beat), 0.3, kick, 116 if beat == 0 else 100)
        if number > GROOVE:
            for beat in (1.0, 3.0):
                track.note(bar(number, beat), 0.3, snare, 84)
            track.note(bar(number, 2.25), 0.2, snare, 38)
        # Eighths, and sixteenths when the choir is there.
        steps = 16 if number >= CHOIR else 8
        for step in range(steps):
            beat = step * BAR / steps
            if last and beat >= 3.0:
                break
            if beat == 3.5 and number % 2 == 0:
                track.note(bar(number, beat), 0.4, open_hat, 82)
            else:
                track.note(bar(number, beat), 0.15, hat, {0.0: 72, 0.5: 84}.get(beat % 1, 46))
        if number in (8, 12, 16):
            # Tuned shells lead over.
            for step, key in enumerate([74, 69, 65, 62]):
                track.note(bar(number, 3.0 + step / 4), 0.4, key, 78 + 7 * step)
    for number, velocity in [(GROOVE, 78), (LEAD, 88), (CHOIR, 98), (END, 104)]:
        track.note(bar(number), 1.0, crash, velocity)
        track.note(bar(number), 1.0, crash + 2, velocity - 10)
    track.note(bar(END), 1.0, kick, 118)
    return track


def drone():
    track = Track("Deep Field", 11, volume=84, pan=64)
    track.chord(bar(1), 15.5, [38], 70)
    track.swell(EXPRESSION, [(0, 60), (bar(3), 100), (bar(GROOVE), 60)])
    track.chord(bar(END, -2), 13.0, [38, 45], 96)
    track.swell(EXPRESSION, [(bar(END, -2), 80), (bar(END, 2), 112), (bar(END, 6), 127), (bar(END, 11), 100)])
    track.swell(WHEEL, [(bar(END, -2), 0), (bar(END, 5), 60), (bar(END, 11), 0)])
    return track


def flock():
    track = Track("Murmuration", 13, volume=92, pan=74)
    # High and thin over the introduction, and once more behind the last chord.
    track.chord(bar(1, 2), 6.0, [69, 76], 62)
    track.chord(bar(3), 8.2, [69, 72], 66)
    track.swell(EXPRESSION, [(0, 50), (bar(2), 96), (bar(4), 104), (bar(GROOVE), 60)])
    track.chord(bar(END, 2), 7.0, [74, 81], 64)
    track.swell(EXPRESSION, [(bar(END, 2), 60), (bar(END, 5), 92), (bar(END, 9), 40)])
    return track


PARTS = [conductor, bells, rain, pad, tide, bass, tines, strings, choir, lead, drums, drone, marimba, flock]
