//! The view fits every terminal.

use super::computer_keyboard::ComputerKeyboard;
use super::view_model::{Figures, Macro, ViewModel};
use super::{Browser, screen};
use myriad_engine::render::CpuRenderer;
use myriad_engine::{Event, EventKind};
use myriad_library::{self as library, Library};
use myriad_live::stream::{self, StreamConfig};
use myriad_player::midi::MACRO_PARAMS;
use myriad_player::monitor::Monitor;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ringbuf::HeapRb;
use ringbuf::traits::{Producer, Split};

/// The view model after two seconds of a chord.
fn model(name: &str, chord: &[u8]) -> ViewModel {
    let patch = library::named(name).unwrap();
    let config = StreamConfig { depth: 96, ..StreamConfig::default() };
    let renderer = Box::new(CpuRenderer::new(1));
    let (control, mut audio, mut render) = stream::build(&config, renderer).unwrap();
    control.set_patch(0, patch.clone()).unwrap();
    render.step();
    let (mut tap, tapped) = HeapRb::new(96_000).split();
    let mut monitor = Monitor::new(tapped, 48_000);
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    let press =
        |&key: &u8| Event { frame: 0, part: 0, kind: EventKind::NoteOn { key, velocity: 0.8 } };
    let mut events: Vec<Event> = chord.iter().map(press).collect();
    for _ in 0..1_500 {
        audio.process(&events, &mut left, &mut right);
        render.step();
        events.clear();
        tap.push_iter(left.iter().zip(&right).map(|(&left, &right)| [left, right]));
    }
    monitor.update();
    let status = control.status();
    let keyboard = ComputerKeyboard::new(true);
    let mut keys = [false; 128];
    chord.iter().for_each(|&key| keys[usize::from(key)] = true);
    ViewModel {
        patch: [&patch.name, &patch.category, &patch.description].map(String::clone),
        device: "JACK system · 48 kHz · 64".to_owned(),
        connected: true,
        latency_ms: control.latency() as f64 / 48.0,
        meters: monitor.meters(),
        bands: *monitor.bands(),
        figures: Figures {
            renderer: "CPU".to_owned(),
            voices: status.engine.voices,
            partials: status.engine.partials,
            fill: status.depth,
            depth: status.depth,
            cpu: Some(status.render_time.quantile(0.5)),
            ..Figures::default()
        },
        render_time: status.render_time,
        macros: std::array::from_fn(|index| Macro {
            name: patch.macro_names[index].clone(),
            value: patch.values[MACRO_PARAMS[index]],
            controller: (index == 0).then_some(74),
        }),
        selected: 0,
        learning: false,
        keys,
        lowest: keyboard.lowest(),
        velocity: keyboard.velocity(),
        pedal: false,
        song: None,
        recording: true,
        news: None,
        browser: None,
        help: false,
    }
}

fn drawn(model: &ViewModel, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen::draw(frame, model)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    buffer.content.iter().map(Cell::symbol).collect()
}

/// Everything is visible on every terminal that is large enough.
#[test]
fn the_view_fits() {
    let mut model = model("Aurora", &[48, 55, 60, 64, 71]);
    for (width, height) in [(80, 24), (160, 50), (64, 22), (300, 90)] {
        let seen = text(&drawn(&model, width, height));
        for word in
            ["MYRIAD", "Aurora", "JACK", "Light", "voices", "underruns", "100%", "1k", "help"]
        {
            assert!(seen.contains(word), "{word} at {width} × {height}");
        }
        assert!(seen.contains('█') && seen.contains('●'), "{width} × {height}");
    }
    // No size panics.
    for (width, height) in [(1, 1), (20, 5), (63, 40), (200, 21)] {
        drawn(&model, width, height);
    }
    model.help = true;
    assert!(text(&drawn(&model, 80, 24)).contains("sustain pedal"));
    model.help = false;
    let browser = Browser::new(Library::open(None), "Aurora");
    let next = browser.neighbour(1).name;
    model.browser = Some(browser.view());
    let seen = text(&drawn(&model, 80, 24));
    assert!(seen.contains("Aurora") && seen.contains(&next), "{seen}");
    model.connected = false;
    assert!(text(&drawn(&model, 80, 24)).contains("playing on in silence"));
}
