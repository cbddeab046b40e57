"""Myriad in pedalboard, a JUCE host: load, list, play, set, save, restore, many at once."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pedalboard

from checks import (LATENCY, PARAMETERS, RATE, assert_follows, display, first_sound, in_seconds, performance, pitch,
                    reference, run, same, spoiled)

PLUGIN = sys.argv[1]

A4 = [(bytes([0x90, 69, 100]), 0.1), (bytes([0x80, 69, 64]), 0.8)]
CHORD = [(bytes([0x90, key, 90]), 0.01 * key / 10) for key in (48, 55, 64)]


TEXTS = {}
read_text = pedalboard._pedalboard.get_text_for_raw_value


def remembered_text(parameter, value, slow=False):
    """pedalboard reads a thousand texts of every parameter for each instance, and once more for the first parameter
    that is set later: some seconds each time. They are the same for all instances, so the first one is asked."""
    key = parameter.name, value, slow
    if key not in TEXTS:
        TEXTS[key] = read_text(parameter, value, slow)
    return TEXTS[key]


pedalboard._pedalboard.get_text_for_raw_value = remembered_text


def load(**values):
    """An instance with these parameters."""
    return pedalboard.load_plugin(PLUGIN, parameter_values=values)


def play(plugin, notes=A4, seconds=1.0, block=512, **options):
    return plugin(notes, duration=seconds, sample_rate=RATE, num_channels=2, buffer_size=block, **options)


def test_it_is_an_instrument_with_its_parameters():
    plugin = load()
    assert plugin.is_instrument and plugin.name == "Myriad"
    assert len(plugin.parameters) == PARAMETERS, len(plugin.parameters)
    assert plugin.reported_latency_samples == LATENCY
    assert plugin.parameters["filter_cutoff"].string_value == "2.00 kHz"
    assert plugin.source_table == "saw"


def test_a_note_is_in_tune_and_on_time():
    plugin = load(source_partials=1)
    left, right = play(plugin)
    # Level and phase start at zero, so the first sound is a sample later.
    assert first_sound(left) == round(0.1 * RATE) + LATENCY + 1, first_sound(left)
    assert abs(pitch(left[RATE // 4 : RATE // 2]) - 440) < 0.1
    assert same(left, right)


def test_renders_repeat_whatever_the_blocks():
    plugin = load()
    expected = play(plugin)
    for block in (512, 1, 17, 333, 8192):
        assert same(play(plugin, block=block), expected), block


def test_a_performance_is_the_reference_frame_by_frame():
    unison = "[unison]\nvoices = 7\n[chorus]\non = \"on\"\n"
    plain, rich = load(), load(unison=7, chorus=True)
    for plugin, settings, block in [(plain, "", 64), (plain, "", 1000), (rich, unison, 512)]:
        events = performance(block, 6, block)
        assert_follows(play(plugin, in_seconds(events), 6.0, block), reference(events, 6, settings))


def test_parameters_are_heard():
    plugin = load()
    plain = play(plugin)
    plugin.filter = "low-pass 24"
    plugin.filter_cutoff = 200
    dark = play(plugin)
    bright = lambda sound: np.abs(np.diff(sound[0])).max()
    assert bright(dark) < 0.5 * bright(plain)


def test_wheel_and_pedal_arrive():
    plugin = load(source_partials=1)
    bent = play(plugin, A4[:1] + [(bytes([0xE0, 127, 127]), 0.15)])
    assert abs(pitch(bent[0][RATE // 2 :]) - 440 * 2 ** (2 / 12)) < 0.5
    held = play(plugin, [A4[0], (bytes([0xB0, 64, 127]), 0.2), (bytes([0x80, 69, 64]), 0.3)])
    assert np.abs(held[0][-4800:]).max() > 0.01, "the pedal holds"
    other = play(plugin, [A4[0], (bytes([0xB4, 64, 127]), 0.2), (bytes([0x80, 69, 64]), 0.3)])
    assert same(other, held), "on any channel"


def two_bytes(number):
    return bytes([number % 128, number // 128])


def test_notes_of_mpe_bend_one_by_one():
    plugin = load(source_partials=1, mpe=True)
    # A fifth on two channels, of which the second bends down to the first.
    bent = play(plugin, [
        (bytes([0x91, 69, 100]), 0.1),
        (bytes([0x92, 76, 100]), 0.1),
        (b"\xe2" + two_bytes(8192 - 8192 * 7 // 48), 0.15),
    ])
    assert abs(pitch(bent[0][RATE // 2 :]) - 440) < 0.5, pitch(bent[0][RATE // 2 :])


def test_a_restored_state_sounds_the_same():
    saved = load()
    saved.source_table = "vocal"
    saved.source_position = 33
    saved.parameters["env_1_attack"].raw_value = 0.321
    play(saved)
    expected = play(saved, CHORD)
    restored = load()
    restored.raw_state = saved.raw_state
    assert same(play(restored, CHORD), expected)
    assert restored.source_table == "vocal"
    assert restored.raw_state == saved.raw_state


def test_many_instances_are_independent():
    plugins = [load(amp_level=-6.0 - index) for index in range(16)]
    levels = [np.abs(play(plugin, seconds=0.3)).max() for plugin in plugins]
    for louder, softer in zip(levels, levels[1:]):
        assert abs(softer / louder - 10 ** (-1 / 20)) < 0.01
    while plugins:
        plugins.pop(len(plugins) // 3)


def test_garbage_states_harm_nothing():
    plugin = load()
    good = plugin.raw_state
    for index, state in enumerate(spoiled(good, 300)):
        try:
            plugin.raw_state = state
        except (RuntimeError, ValueError):
            pass  # The host itself says no.
        if index % 30 == 0:
            assert np.isfinite(play(plugin, seconds=0.1)).all()
    plugin.raw_state = good
    assert same(play(plugin), play(load()))


def test_the_editor_opens_and_closes_again_and_again():
    with display() as name:
        script = pathlib.Path(__file__).with_name("editor_in_pedalboard.py")
        told = subprocess.run(
            [sys.executable, script, PLUGIN, "10"],
            env=dict(os.environ, DISPLAY=name),
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert "opened and closed" in told.stdout, told.stdout + told.stderr


run("pedalboard", dict(globals()))
