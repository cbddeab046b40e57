//! What a visitor hears.

use super::*;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, factory};

/// The stream is the engine's sound, bit for bit: nothing is lost, added or moved on the way.
#[test]
fn a_visitor_hears_what_the_engine_renders() {
    let server = start(config());
    let heard = block_on(async {
        let mut client = seat(&server).await;
        let mut heard = Heard::default();
        heard.listen(&mut client, 2_048).await;
        assert!(heard.left.iter().all(|x| *x == 0.0), "silence before the first note");
        client.send(r#"{"type":"noteOn","key":69,"velocity":0.8}"#).await.unwrap();
        heard.listen(&mut client, 24_000).await;
        heard
    });
    let onset = heard.onset();
    let tone = &heard.left[onset + 2_000..onset + 2_000 + 9_600];
    let [below, at, above] = [415.3, 440.0, 466.2].map(|hertz| level(tone, hertz));
    assert!(at > 0.01 && at > 20.0 * below.max(above), "{below} {at} {above}");
    let engine_config = EngineConfig { voices: 64, clouds: 256, ..EngineConfig::default() };
    // The first sample of a note may be zero, so the event is up to a few frames before.
    let is_same = |start: usize| {
        let mut engine = Engine::new(&engine_config).unwrap();
        engine.set_patch(0, &factory::find("Init").unwrap());
        let kind = EventKind::NoteOn { key: 69, velocity: 0.8 };
        let on = Event { frame: start as u32, part: 0, kind };
        let (mut left, mut right) = (vec![0.0; 16_384], vec![0.0; 16_384]);
        engine.render(&[on], &mut left, &mut right);
        left == heard.left[..16_384]
    };
    let latest = onset - Engine::new(&engine_config).unwrap().latency();
    assert!((latest - 8..=latest).any(is_same), "onset at {onset}");
}

#[test]
fn events_are_played_in_the_rhythm_of_their_stamps() {
    let server = start(config());
    let onsets = block_on(async {
        let mut client = seat(&server).await;
        let mut heard = Heard::default();
        heard.listen(&mut client, 512).await;
        client.send(r#"{"type":"param","id":"env1.release","value":0.002}"#).await.unwrap();
        client.send(r#"{"type":"ping","id":1}"#).await.unwrap();
        let clock = loop {
            match client.next().await {
                Incoming::Text(message) if message["type"] == "pong" => {
                    break message["frame"].as_f64().unwrap();
                }
                Incoming::Sound(header, samples) => {
                    assert_eq!(header.frame, heard.start + heard.left.len() as u64);
                    heard.left.extend(samples.iter().step_by(2));
                }
                _ => {}
            }
        };
        // Both notes arrive at once, but were played 3,000 frames apart: the network was slow.
        for (kind, time) in [("noteOn", 0.0), ("noteOff", 1_000.0), ("noteOn", 3_000.0)] {
            let time = clock - 3_000.0 + time;
            let note = format!(r#"{{"type":"{kind}","key":69,"velocity":0.8,"time":{time}}}"#);
            client.send(note).await.unwrap();
        }
        heard.listen(&mut client, 24_000).await;
        let first = heard.onset();
        let pause = heard.left[first..].windows(200).position(|w| w.iter().all(|x| *x == 0.0));
        let pause = first + pause.expect("a pause");
        let second = heard.left[pause..].iter().position(|x| *x != 0.0).expect("a second note");
        [first, pause + second]
    });
    // A note's first samples may be zero, so a few frames are unknown.
    assert!((onsets[1] - onsets[0]).abs_diff(3_000) < 8, "{onsets:?}");
}

#[test]
fn patches_change_and_bad_ones_are_refused() {
    let server = start(config());
    block_on(async {
        let mut client =
            Client::connect(server.address(), Knock { query: "format=int16", ..Knock::default() })
                .await
                .unwrap();
        let text = serde_json::json!({
            "type": "patchText",
            "toml": "format = 3\nname = \"Mine\"\n[amp]\nlevel = -60.0\n",
        });
        for (message, answer) in [
            (r#"{"type":"patch","name":"felt grand"}"#.to_owned(), "Felt Grand"),
            (text.to_string(), "Mine"),
            (r#"{"type":"patch","name":"../../etc/passwd"}"#.to_owned(), "no such patch"),
            (r#"{"type":"patchText","toml":"name = 3"}"#.to_owned(), "patch"),
        ] {
            client.send(message).await.unwrap();
            let got = loop {
                match client.next().await {
                    Incoming::Text(message) if message["type"] == "patch" => {
                        break message["name"].clone();
                    }
                    Incoming::Text(message) if message["type"] == "error" => {
                        break message["message"].clone();
                    }
                    Incoming::Closed(code) => panic!("{code:?}"),
                    _ => {}
                }
            };
            assert!(got.as_str().unwrap().contains(answer), "{got} for {answer}");
        }
        assert_eq!(server.status().seats[0].patch, "Mine");
    });
}

#[test]
fn in_a_jam_everybody_hears_everybody() {
    let server = start(ServeConfig { jam: true, ..config() });
    let sounds = block_on(async {
        let mut clients = [seat(&server).await, seat(&server).await];
        let mut heard = [Heard::default(), Heard::default()];
        for (client, heard) in clients.iter_mut().zip(&mut heard) {
            heard.listen(client, 512).await;
        }
        clients[0].send(r#"{"type":"noteOn","key":69,"velocity":0.8}"#).await.unwrap();
        clients[1].send(r#"{"type":"noteOn","key":76,"velocity":0.8}"#).await.unwrap();
        for (client, heard) in clients.iter_mut().zip(&mut heard) {
            heard.listen(client, 24_000).await;
        }
        heard
    });
    for heard in sounds {
        let tone = &heard.left[heard.left.len() - 9_600..];
        for (hertz, semitone) in [(440.0, 466.2), (659.3, 698.5)] {
            let (at, beside) = (level(tone, hertz), level(tone, semitone));
            assert!(
                at > 0.01 && at > 3.0 * beside,
                "{at} at {hertz} Hz, {beside} at {semitone} Hz"
            );
        }
    }
}

#[test]
fn a_server_that_stops_says_so() {
    let server = start(config());
    block_on(async {
        let mut client = seat(&server).await;
        client.next().await;
        let stop = tokio::task::spawn_blocking(|| server.stop());
        let code = loop {
            if let Incoming::Closed(code) = client.next().await {
                break code;
            }
        };
        assert_eq!(code, Some(1_001));
        drop(client);
        stop.await.unwrap();
    });
}
