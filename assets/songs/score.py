"""What songs are written with: tracks, and the MIDI file that they become."""

import random
import struct

BEAT = 480  # Ticks of a quarter note.

VOLUME, PAN, WHEEL, EXPRESSION, SUSTAIN = 7, 10, 1, 11, 64


def variable_length(number):
    """A number as MIDI files store it: seven bits a byte, the last byte's top bit clear."""
    data = [number & 0x7F]
    while number := number >> 7:
        data.append(0x80 | number & 0x7F)
    return bytes(reversed(data))


class Track:
    """One track: events in beats, played a little unevenly, as people do."""

    def __init__(self, name, channel=None, volume=100, pan=64, loose=0.0, uneven=4):
        self.name = name
        self.channel = channel
        self.loose = loose  # How far a note strays from its time, in beats.
        self.uneven = uneven  # How far its velocity strays.
        self.random = random.Random(name)  # Its own, so that one part's edits leave others alone.
        self.events = []
        if channel is not None:
            self.control(0, VOLUME, volume)
            self.control(0, PAN, pan)

    def add(self, beat, data, order=1):
        """An event; of those at the same time, low `order` comes first."""
        self.events.append((max(0, round(beat * BEAT)), order, len(self.events), bytes(data)))

    def note(self, beat, beats, key, velocity):
        """A note, humanised."""
        beat = max(0.0, beat + self.random.uniform(-self.loose, self.loose))
        velocity += self.random.randint(-self.uneven, self.uneven)
        self.add(beat, [0x90 | self.channel - 1, key, min(127, max(1, velocity))], order=2)
        self.add(beat + beats, [0x80 | self.channel - 1, key, 64], order=0)

    def chord(self, beat, beats, keys, velocity, strum=0.0):
        """Notes together, or `strum` beats after each other."""
        for index, key in enumerate(keys):
            self.note(beat + index * strum, beats - index * strum, key, velocity)

    def line(self, beat, steps, velocity):
        """Notes one after the other, each (beats, key), or (beats, None) for a rest. Returns the end."""
        for beats, key in steps:
            if key is not None:
                self.note(beat, beats, key, velocity)
            beat += beats
        return beat

    def control(self, beat, number, value):
        """A controller."""
        self.add(beat, [0xB0 | self.channel - 1, number, min(127, max(0, round(value)))])

    def swell(self, number, points):
        """A controller that moves straight from point to point, each (beat, value)."""
        for (start, low), (end, high) in zip(points, points[1:]):
            steps = max(1, round((end - start) * 12))
            for step in range(steps):
                x = step / steps
                self.control(start + (end - start) * x, number, low + (high - low) * x)
        self.control(*points[-1][:1], number, points[-1][1])

    def bend(self, points):
        """The pitch wheel through points, each (beat, semitones), of two semitones' range."""
        for (start, low), (end, high) in zip(points, points[1:]):
            steps = max(1, round((end - start) * 32))
            for step in range(steps + 1):
                x = step / steps
                # Slow at both ends, as a hand is.
                value = low + (high - low) * (3 - 2 * x) * x * x
                wheel = min(16383, max(0, round(8192 + value / 2 * 8192)))
                at = start + (end - start) * x
                self.add(at, [0xE0 | self.channel - 1, wheel & 0x7F, wheel >> 7])

    def tempo(self, beat, bpm):
        """A tempo, for all tracks."""
        self.add(beat, b"\xff\x51\x03" + round(60e6 / bpm).to_bytes(3, "big"))

    def data(self):
        """The track as a chunk of a MIDI file."""
        name = self.name.encode()
        data = b"\0\xff\x03" + variable_length(len(name)) + name
        now = 0
        for tick, _, _, event in sorted(self.events):
            data += variable_length(tick - now) + event
            now = tick
        data += b"\0\xff\x2f\0"
        return b"MTrk" + struct.pack(">I", len(data)) + data


def midi_file(tracks):
    """The whole file."""
    header = b"MThd" + struct.pack(">IHHH", 6, 1, len(tracks), BEAT)
    return header + b"".join(track.data() for track in tracks)
