#!/usr/bin/env python3
"""Writes fifteen-parts.mid beside this script: the song that rendering is measured with.

    myriad render benches/songs/fifteen-parts.mid --patch Aurora --output /dev/null

Fifteen parts play chords of eight notes for a minute, and change them every second.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent.parent / "assets" / "songs"))

import score

SECONDS = 60
# A scale in steps of a fifth, folded into the octaves above key 36.
CHORD = [0, 7, 14, 21, 28, 35, 40, 47]


def part(index):
    # Channel 10 is for drums.
    track = score.Track(f"Part {index + 1}", channel=index + 1 + (index >= 9), uneven=0)
    if index == 0:
        track.tempo(0, 60)
    for second in range(SECONDS):
        root = 36 + (5 * second + 3 * index) % 12
        track.chord(second, 1, [root + step for step in CHORD], 70)
    return track


(HERE / "fifteen-parts.mid").write_bytes(score.midi_file([part(index) for index in range(15)]))
