#!/usr/bin/env python3
"""Writes the demo songs, a MIDI file each, beside this script.

    make_songs.py            writes them
    make_songs.py --check    fails when one is not what this script writes
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing but songs is written here.

import backbeat
import courtyard
import daybreak
import motorway
import procession
import score
import undercurrent


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for song in (daybreak, motorway, procession, backbeat, courtyard, undercurrent):
        path = Path(__file__).with_name(f"{song.__name__}.mid")
        made = score.midi_file([part() for part in song.PARTS])
        if sys.argv[1:] == []:
            path.write_bytes(made)
        elif not path.exists() or path.read_bytes() != made:
            sys.exit(f"{path.name} is not what make_songs.py makes: run assets/songs/make_songs.py")


if __name__ == "__main__":
    main()
