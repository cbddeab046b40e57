"""Myriad in dawdreamer, a JUCE host with a timeline: automation, states as files, renders."""
import pathlib
import sys
import tempfile

import dawdreamer
import numpy as np

from checks import LATENCY, PARAMETERS, RATE, first_sound, pitch, run, same, spoiled

PLUGIN = sys.argv[1]


class Host:
    """An engine with one instance of the plugin."""

    def __init__(self, block=512, rate=RATE):
        self.engine = dawdreamer.RenderEngine(rate, block)
        self.plugin = self.engine.make_plugin_processor("myriad", PLUGIN)
        self.engine.load_graph([(self.plugin, [])])
        described = self.plugin.get_parameters_description()
        self.parameters = {row["name"]: row["index"] for row in described}

    def set(self, name, value):
        self.plugin.set_parameter(self.parameters[name], value)

    def text(self, name):
        return self.plugin.get_parameter_text(self.parameters[name])

    def load_state(self, file):
        try:
            self.plugin.load_state(file)
        except RuntimeError as error:
            # It has loaded the state by then, and would like to show it.
            assert "editor" in str(error), error

    def play(self, seconds=1.0, notes=((69, 0.1, 0.7),)):
        self.plugin.clear_midi()
        for key, start, length in notes:
            self.plugin.add_midi_note(key, 100, start, length)
        self.engine.render(seconds)
        return self.engine.get_audio()


def test_it_loads_with_its_parameters():
    host = Host()
    assert host.plugin.get_latency_samples() == LATENCY
    own = [name for name in host.parameters if not name.startswith("MIDI CC ")]
    assert len(own) == PARAMETERS, len(own)
    assert own[:8] == [f"Macro {number}" for number in range(1, 9)], own[:8]
    assert host.text("Filter Cutoff") == "2.00 kHz"


def test_a_note_is_in_tune_and_on_time():
    host = Host()
    host.set("Source Partials", 0.0)
    left, right = host.play()
    assert first_sound(left) == round(0.1 * RATE) + LATENCY + 1, first_sound(left)
    assert abs(pitch(left[RATE // 4 : RATE // 2]) - 440) < 0.1
    assert same(left, right)


def test_renders_repeat_whatever_the_blocks():
    expected = Host().play()
    again = Host()
    assert same(again.play(), expected) and same(again.play(), expected)
    for block in (1, 17, 333, 8192):
        assert same(Host(block).play(), expected), block


def test_rates_may_differ():
    for rate in (44_100, 96_000):
        host = Host(rate=rate)
        host.set("Source Partials", 0.0)
        left = host.play()[0]
        measured = pitch(left[rate // 4 : rate // 2]) * rate / RATE
        assert abs(measured - 440) < 0.1, (rate, measured)


def test_automation_is_heard_where_it_is_drawn():
    host = Host(block=64)
    note = ((45, 0.0, 1.0),)
    plain = host.play(notes=note)
    curve = np.full(RATE, 0.5, dtype=np.float32)
    curve[RATE // 2 :] = 1.0
    host.plugin.set_automation(host.parameters["Amp Pan"], curve)
    left, right = host.play(notes=note)
    middle = RATE // 2 + LATENCY
    assert np.abs(left[middle + 4_800 :]).max() < 1e-3 < np.abs(right[middle + 4_800 :]).max()
    assert same(left[: middle - 64], plain[0][: middle - 64])


def test_a_restored_state_sounds_the_same():
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "state")
        saved = Host()
        for name, value in (("Source Position", 0.123), ("Filter", 2 / 15), ("Env 1 Attack", 0.4)):
            saved.set(name, value)
        saved.play()
        expected = saved.play(notes=((48, 0.0, 0.5), (60, 0.2, 0.6)))
        saved.plugin.save_state(file)
        restored = Host()
        restored.load_state(file)
        assert same(restored.play(notes=((48, 0.0, 0.5), (60, 0.2, 0.6))), expected)
        assert restored.text("Filter") == saved.text("Filter") == "low-pass 24"
        good = pathlib.Path(file).read_bytes()
        for state in spoiled(good, 150):
            pathlib.Path(file).write_bytes(state)
            restored.load_state(file)
        assert np.isfinite(restored.play()).all()


def test_many_instances_in_one_graph():
    engine = dawdreamer.RenderEngine(RATE, 512)
    plugins = [engine.make_plugin_processor(f"myriad {index}", PLUGIN) for index in range(16)]
    for index, plugin in enumerate(plugins):
        plugin.add_midi_note(48 + index, 100, 0.0, 0.5)
    mix = engine.make_add_processor("mix", [1 / 16] * 16)
    graph = [(plugin, []) for plugin in plugins]
    engine.load_graph(graph + [(mix, [plugin.get_name() for plugin in plugins])])
    engine.render(0.5)
    first = engine.get_audio()
    assert np.abs(first).max() > 0.01
    engine.render(0.5)
    assert same(engine.get_audio(), first)


run("dawdreamer", dict(globals()))
