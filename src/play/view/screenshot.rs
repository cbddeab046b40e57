//! The panel as a picture: for the README, and to see that it fits every terminal.
//!
//! `cargo test screenshots -- --ignored` draws the pictures of `docs/pictures` anew.

use super::hands::Hands;
use super::scene::{Figures, Macro, Scene};
use super::{Browser, screen, theme};
use myriad_engine::render::CpuRenderer;
use myriad_engine::{Event, EventKind};
use myriad_live::stream::{self, StreamConfig};
use myriad_player::analysis::canvas::{Align, Canvas, Size};
use myriad_player::analysis::colour::Rgb;
use myriad_player::analysis::picture;
use myriad_player::library;
use myriad_player::midi::MACRO_PARAMS;
use myriad_player::monitor::Monitor;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;
use ringbuf::HeapRb;
use ringbuf::traits::{Producer, Split};
use std::path::Path;
use std::time::Duration;

/// Two seconds of a chord, really played, as the panel shows them.
fn scene(name: &str, chord: &[u8]) -> Scene {
    let patch = library::named(name).unwrap();
    let config = StreamConfig {
        depth: 96,
        ..StreamConfig::default()
    };
    let (control, mut audio) = stream::start(&config, Box::new(CpuRenderer::new(1))).unwrap();
    control.set_patch(0, patch.clone()).unwrap();
    let (mut tap, tapped) = HeapRb::new(96_000).split();
    let mut monitor = Monitor::new(tapped, 48_000);
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    let press = |&key: &u8| Event {
        frame: 0,
        part: 0,
        kind: EventKind::NoteOn { key, velocity: 0.8 },
    };
    let mut events: Vec<Event> = chord.iter().map(press).collect();
    for _ in 0..1_500 {
        audio.process_waiting(&events, &mut left, &mut right, Duration::from_secs(10));
        events.clear();
        tap.push_iter(left.iter().zip(&right).map(|(&left, &right)| [left, right]));
    }
    monitor.update();
    let status = control.status();
    let hands = Hands::new(true);
    let mut keys = [false; 128];
    chord.iter().for_each(|&key| keys[usize::from(key)] = true);
    Scene {
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
        lowest: hands.lowest(),
        velocity: hands.velocity(),
        pedal: false,
        song: None,
        recording: true,
        news: None,
        browser: None,
        help: false,
    }
}

fn drawn(scene: &Scene, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen::draw(frame, scene)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    buffer.content.iter().map(Cell::symbol).collect()
}

/// What must be in sight of a player, on every terminal that is large enough.
#[test]
fn the_panel_fits() {
    let mut scene = scene("Aurora", &[48, 55, 60, 64, 71]);
    for (width, height) in [(80, 24), (160, 50), (64, 22), (300, 90)] {
        let seen = text(&drawn(&scene, width, height));
        for word in [
            "MYRIAD",
            "Aurora",
            "JACK",
            "Light",
            "voices",
            "underruns",
            "100%",
            "1k",
            "help",
        ] {
            assert!(seen.contains(word), "{word} at {width} × {height}");
        }
        assert!(
            seen.contains('█') && seen.contains('●'),
            "{width} × {height}"
        );
    }
    // Nothing panics, however small.
    for (width, height) in [(1, 1), (20, 5), (63, 40), (200, 21)] {
        drawn(&scene, width, height);
    }
    scene.help = true;
    assert!(text(&drawn(&scene, 80, 24)).contains("sustain pedal"));
    scene.help = false;
    let browser = Browser::new("Aurora");
    let next = browser.neighbour(1).name;
    scene.browser = Some(browser.scene());
    let seen = text(&drawn(&scene, 80, 24));
    assert!(seen.contains("Aurora") && seen.contains(&next), "{seen}");
    scene.connected = false;
    assert!(text(&drawn(&scene, 80, 24)).contains("playing on in silence"));
}

#[test]
#[ignore = "writes docs/pictures: cargo test screenshots -- --ignored"]
fn screenshots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let mut scene = scene("Aurora", &[48, 55, 60, 64, 71]);
    let save = |scene: &Scene, width, height, size, name: &str| {
        let canvas = painted(&drawn(scene, width, height), size);
        picture::save(&canvas, &folder.join(name)).unwrap();
    };
    save(&scene, 80, 24, Size::Large, "play.png");
    let extra = std::env::var_os("EXTRA_PICTURES").is_some();
    if extra {
        save(&scene, 160, 50, Size::Small, "play-wide.png");
        scene.help = true;
        save(&scene, 80, 24, Size::Large, "play-help.png");
        scene.help = false;
        scene.browser = Some(Browser::new("Aurora").scene());
        save(&scene, 80, 24, Size::Large, "play-browser.png");
    }
}

/// Draws a terminal's cells.
fn painted(buffer: &Buffer, size: Size) -> Canvas {
    let (wide, high) = (size.width_of("x"), size.height());
    let (columns, rows) = (
        usize::from(buffer.area.width),
        usize::from(buffer.area.height),
    );
    let mut canvas = Canvas::new(columns * wide, rows * high, rgb(theme::GROUND));
    for (index, cell) in buffer.content.iter().enumerate() {
        let corner = [index % columns * wide, index / columns * high];
        canvas.fill(corner, [wide, high], rgb(cell.bg), 1.0);
        let ink = rgb(cell.fg);
        let symbol = cell.symbol().chars().next().unwrap_or(' ');
        if !shape(&mut canvas, corner, [wide, high], symbol, ink) && symbol != ' ' {
            canvas.text(corner, Align::Left, size, ink, cell.symbol());
        }
    }
    canvas
}

/// Draws what the font lacks: blocks, frames, arrows. False for what it has.
fn shape(
    canvas: &mut Canvas,
    [x, y]: [usize; 2],
    [w, h]: [usize; 2],
    symbol: char,
    ink: Rgb,
) -> bool {
    let (mx, my) = (x + w / 2, y + h / 2);
    let mut fill = |corner, size| canvas.fill(corner, size, ink, 1.0);
    match symbol {
        '▁'..='█' => {
            let part = (symbol as usize - '▁' as usize + 1) * h / 8;
            fill([x, y + h - part], [w, part]);
        }
        '▉'..='▏' => {
            let eighths = 8 - (symbol as usize - '▉' as usize + 1);
            fill([x, y], [(w * eighths).div_ceil(8), h]);
        }
        '▔' => fill([x, y], [w, h / 8]),
        '─' => fill([x, my], [w, 1]),
        '│' => fill([mx, y], [1, h]),
        '┊' => (0..4).for_each(|n| fill([mx, y + n * h / 4], [1, h / 8])),
        '╭' => {
            fill([mx + 1, my], [w - w / 2 - 1, 1]);
            fill([mx, my + 1], [1, h - h / 2 - 1]);
        }
        '╮' => {
            fill([x, my], [w / 2, 1]);
            fill([mx, my + 1], [1, h - h / 2 - 1]);
        }
        '╰' => {
            fill([mx + 1, my], [w - w / 2 - 1, 1]);
            fill([mx, y], [1, h / 2]);
        }
        '╯' => {
            fill([x, my], [w / 2, 1]);
            fill([mx, y], [1, h / 2]);
        }
        '·' => fill([mx - 1, my], [2, 2]),
        '…' => [1, 2, 3]
            .iter()
            .for_each(|n| fill([x + n * w / 4, y + 3 * h / 4 - 2], [2, 2])),
        '–' => fill([x + 1, my], [w - 2, 1]),
        '●' | '▸' => {
            let radius = w as i32 / 2 - 1;
            for dy in -radius..=radius {
                let half = match symbol {
                    '●' => f64::from(radius * radius - dy * dy).sqrt() as i32,
                    _ => radius - dy.abs(),
                };
                let from = if symbol == '●' {
                    mx as i32 - half
                } else {
                    x as i32 + 1
                };
                let length = if symbol == '●' {
                    2 * half + 1
                } else {
                    half + 1
                };
                fill(
                    [from as usize, (my as i32 + dy) as usize],
                    [length as usize, 1],
                );
            }
        }
        '←' | '→' => {
            fill([x + 1, my], [w - 2, 1]);
            let n = w / 3;
            (0..n).for_each(|d| {
                let at = if symbol == '←' {
                    x + 1 + d
                } else {
                    x + w - 2 - d
                };
                fill([at, my - d], [1, 2 * d + 1]);
            });
        }
        '↑' | '↓' => {
            fill([mx, y + h / 4], [1, h / 2]);
            let n = w / 3;
            (0..n).for_each(|d| {
                let at = if symbol == '↑' {
                    y + h / 4 + d
                } else {
                    y + 3 * h / 4 - d
                };
                fill([mx - d, at], [2 * d + 1, 1]);
            });
        }
        _ => return false,
    }
    true
}

fn rgb(colour: Color) -> Rgb {
    match colour {
        Color::Rgb(r, g, b) => [r, g, b],
        _ => rgb(theme::GROUND),
    }
}
