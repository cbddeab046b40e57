//! Visitors who break the rules, while somebody plays.

use super::*;
use myriad_engine::dsp::hash;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// Memory of this process, in bytes.
#[cfg(target_os = "linux")]
fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    4_096 * pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
}

/// Raises the limit of open files, which is about a thousand on many machines: both ends are in this process.
fn allow_many_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        setrlimit(Resource::Nofile, limit).unwrap();
    }
}

/// Reads until the seat is taken away; returns the code.
async fn closed(client: &mut Client) -> Option<u16> {
    loop {
        if let Incoming::Closed(code) = client.next().await {
            return code;
        }
    }
}

/// A player who holds a note hears every frame of it, without a jump, while others do their worst.
#[test]
fn nobody_elses_sound_suffers() {
    let limits = Limits {
        visitors: 50,
        slow: Duration::from_millis(500),
        request: Duration::from_millis(300),
        ..config().limits
    };
    let server = start(ServeConfig { limits, ..config() });
    let address = server.address();
    let is_over = AtomicBool::new(false);
    let player = std::thread::scope(|scope| {
        let player = scope.spawn(|| {
            block_on(async {
                let mut client = seat(&server).await;
                client.send(r#"{"type":"noteOn","key":69,"velocity":0.8}"#).await.unwrap();
                let mut heard = Heard::default();
                while !is_over.load(Relaxed) {
                    heard.listen(&mut client, 2_048).await;
                }
                heard
            })
        });
        block_on(async {
            malformed(&server).await;
            flood(&server).await;
            too_many_errors(&server).await;
            slow(&server).await;
        });
        junk_datagrams(address);
        crowd(&server, address);
        is_over.store(true, Relaxed);
        player.join().unwrap()
    });
    let tone = &player.left[player.onset() + 4_096..];
    assert!(tone.len() > 24_000);
    let jump = tone.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    let usual = tone[..4_096].windows(2).map(|p| (p[1] - p[0]).abs()).fold(0.0, f32::max);
    assert!(jump < 1.3 * usual, "{jump}, usually {usual}");
}

async fn malformed(server: &Server) {
    use tokio::io::AsyncWriteExt;
    // A frame that is not masked, one with reserved bits, one that claims to have 2^62 bytes, and a text
    // that is no text.
    for bytes in [
        &[0x81, 0x02, b'h', b'i'][..],
        &[0xF1, 0x80, 0, 0, 0, 0],
        &[0x81, 0xFF, 0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0],
        &[0x81, 0x82, 0, 0, 0, 0, 0xFF, 0xFE],
    ] {
        let mut client = seat(server).await;
        client.stream().write_all(bytes).await.unwrap();
        closed(&mut client).await;
    }
    let mut client = seat(server).await;
    let long = Message::Binary(Bytes::from(vec![0; 2 << 20]));
    let _ = client.send_raw(long).await;
    closed(&mut client).await;
}

/// Datagrams that are none, among them beginnings of connections (the first byte and the version of QUIC).
fn junk_datagrams(address: SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for number in 0..20_000u32 {
        let mut junk = [0; 1_200];
        for (at, bytes) in junk.chunks_exact_mut(4).enumerate() {
            bytes.copy_from_slice(&hash(number ^ hash(at as u32)).to_le_bytes());
        }
        if number % 2 == 0 {
            junk[..6].copy_from_slice(&[0xC3, 0, 0, 0, 1, 8]);
        }
        let length = if number % 5 == 0 { number as usize % 1_200 } else { 1_200 };
        // A full buffer is an answer too.
        let _ = socket.send_to(&junk[..length], address);
    }
}

async fn flood(server: &Server) {
    let mut client = seat(server).await;
    for _ in 0..20_000 {
        let note = r#"{"type":"noteOn","key":60,"velocity":1}"#;
        if client.send(note).await.is_err() {
            break;
        }
    }
    assert!(matches!(closed(&mut client).await, Some(1_008) | None));
}

async fn too_many_errors(server: &Server) {
    let mut client = seat(server).await;
    for _ in 0..100 {
        if client.send("{}").await.is_err() {
            break;
        }
    }
    assert!(matches!(closed(&mut client).await, Some(1_008) | None));
}

/// A client that reads nothing is dropped, and until then costs no more than its queue.
async fn slow(server: &Server) {
    let before = server.status().dropped;
    let mut client = seat(server).await;
    client.send(r#"{"type":"noteOn","key":60,"velocity":1}"#).await.unwrap();
    while server.status().dropped == before {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(client);
}

/// A thousand connections that say nothing or ask slowly: they are turned away or closed, and those who
/// want to play still can.
fn crowd(server: &Server, address: SocketAddr) {
    allow_many_files();
    #[cfg(target_os = "linux")]
    let before = memory();
    let mut crowd: Vec<TcpStream> = Vec::new();
    for _ in 0..1_000 {
        let mut stream = TcpStream::connect(address).unwrap();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost:");
        crowd.push(stream);
    }
    while server.status().turned_away == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    #[cfg(target_os = "linux")]
    assert!(memory().saturating_sub(before) < 64 << 20, "{before}");
    // Each is closed, so that there is room again.
    for stream in &mut crowd {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    }
    block_on(async {
        let mut taken = Vec::new();
        // One plays already.
        for _ in 0..7 {
            taken.push(seat(server).await);
        }
        assert!(Client::connect(address, Knock::default()).await.is_err(), "there are 8 seats");
        assert!(server.status().full >= 1);
    });
}
