"""The editor in pedalboard, a JUCE host: opened and closed again and again while nothing breaks.

Started by in_pedalboard.py on a display of its own. JUCE ends the program on X errors that it did
not expect, such as those about a window that closes: a handler that ignores them is set first.
"""
import ctypes
import sys
import threading
import time

x11 = ctypes.CDLL("libX11.so.6")
HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
ignore = HANDLER(lambda display, error: 0)
x11.XSetErrorHandler(ignore)

import numpy as np
import pedalboard

plugin = pedalboard.load_plugin(sys.argv[1])
note = [(bytes([0x90, 69, 100]), 0.0)]


def play():
    return plugin(note, duration=0.5, sample_rate=48_000, num_channels=2)


expected = play()
for _ in range(int(sys.argv[2])):
    close = threading.Event()
    threading.Timer(0.7, close.set).start()
    plugin.show_editor(close)
    # JUCE has set its own again.
    x11.XSetErrorHandler(ignore)
    time.sleep(0.1)
    assert np.array_equal(play(), expected), "an editor that was open changes nothing"
print("opened and closed")
