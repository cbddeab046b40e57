#!/usr/bin/env python3
"""Cuts Inter down to what the editor writes: Latin letters, and digits of one width.

Needs the folder of the npm package @expo-google-fonts/inter (0.4.2) and PyPI fonttools:
    npm pack @expo-google-fonts/inter@0.4.2 && tar xzf expo-google-fonts-inter-0.4.2.tgz
    assets/fonts/make_fonts.py package
"""

import pathlib
import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

# Basic Latin, Latin-1, Latin Extended-A, punctuation, arrows, minus, infinity.
KEPT = [*range(0x20, 0x180), *range(0x2010, 0x2027), *range(0x2190, 0x2194), 0x2212, 0x221E]


def main() -> None:
    package = pathlib.Path(sys.argv[1])
    here = pathlib.Path(__file__).parent
    for weight in ["400Regular", "600SemiBold"]:
        font = TTFont(package / weight / f"Inter_{weight}.ttf")
        # Values that move must not dance: digits as wide as each other, also where the
        # program that draws them knows nothing of font features.
        for table in font["cmap"].tables:
            for code, glyph in table.cmap.items():
                if 0x30 <= code <= 0x39 and f"{glyph}.tf" in font.getGlyphOrder():
                    table.cmap[code] = f"{glyph}.tf"
        options = Options()
        options.layout_features = ["kern"]
        options.hinting = False
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=KEPT)
        subsetter.subset(font)
        font.save(here / f"inter-{weight[3:].lower()}.ttf")


main()
