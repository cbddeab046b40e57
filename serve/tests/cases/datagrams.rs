//! Sound as datagrams.

use super::*;
use myriad_serve::Token;
use myriad_serve::protocol::read_packet;
use serde_json::Value;
use std::time::Instant;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint};

/// The offer of datagrams in a seat's first message.
async fn offer(client: &mut Client) -> Value {
    loop {
        if let Incoming::Text(message) = client.next().await
            && message["type"] == "welcome"
        {
            return message["datagrams"].clone();
        }
    }
}

/// Opens a session, as a page does.
async fn open(
    server: &Server,
    ticket: &str,
    certificate: &Value,
) -> Result<Connection, wtransport::error::ConnectingError> {
    let certificate: [u8; 32] = serde_json::from_value(certificate.clone()).unwrap();
    let config = ClientConfig::builder()
        .with_bind_default()
        .with_server_certificate_hashes([Sha256Digest::new(certificate)])
        .build();
    let url = format!("https://{}/sound/{ticket}", server.address());
    Endpoint::client(config).unwrap().connect(url).await
}

/// Waits until the server has `count` seats with datagrams.
async fn wait_for_datagrams(server: &Server, count: usize) {
    let began = Instant::now();
    while server.status().seats.iter().filter(|seat| seat.datagrams).count() != count {
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", server.status().seats);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Sound comes as datagrams once a page has opened them, in pieces that continue each other, and through the WebSocket again
/// when the session is over: what the WebSocket brings begins where the pieces end.
#[test]
fn sound_comes_as_datagrams_and_through_the_socket_when_they_end() {
    let server = start(config());
    block_on(async {
        let mut client = seat(&server).await;
        let offer = offer(&mut client).await;
        client.send(r#"{"type":"noteOn","key":69,"velocity":0.8}"#).await.unwrap();
        let ticket = offer["ticket"].as_str().unwrap();
        let session = open(&server, ticket, &offer["certificate"]).await.unwrap();
        wait_for_datagrams(&server, 1).await;
        // A machine that stands still loses datagrams, so it goes on until there are enough in a row.
        let (mut first, mut next, mut tone) = (None, 0, Vec::new());
        while tone.len() < 9_600 {
            let datagram = session.receive_datagram().await.unwrap();
            let (header, samples) = read_packet(&datagram).expect("a packet");
            first.get_or_insert(header.frame);
            if header.frame != next || header.is_silent {
                tone.clear();
            }
            next = header.frame + u64::from(header.frames);
            if !header.is_silent {
                assert_eq!((header.frames, datagram.len()), (128, 16 + 8 * 128), "half a block");
                tone.extend(samples.iter().step_by(2));
            }
        }
        let (first, last) = (first.unwrap(), next - 1);
        let [below, at, above] = [415.3, 440.0, 466.2].map(|hertz| level(&tone, hertz));
        assert!(at > 0.01 && at > 10.0 * below.max(above), "{below} {at} {above}");
        // All that the socket brought meanwhile is from before the session.
        drop(session);
        wait_for_datagrams(&server, 0).await;
        let after = loop {
            match client.next().await {
                Incoming::Sound(header, _) if header.frame > last => break header.frame,
                Incoming::Sound(header, _) => assert!(header.frame < first, "sent both ways"),
                Incoming::Closed(code) => panic!("closed: {code:?}"),
                Incoming::Text(_) => {}
            }
        };
        assert!(after > last);
    });
}

/// Nobody hears a seat without its ticket, and a ticket ends with its seat.
#[test]
fn datagrams_need_the_ticket_of_a_seat() {
    let server = start(config());
    block_on(async {
        let mut client = seat(&server).await;
        let offer = offer(&mut client).await;
        let certificate = &offer["certificate"];
        let ticket = offer["ticket"].as_str().unwrap().to_owned();
        for wrong in ["", "0123456789abcdef0123456789abcdef", &ticket[1..], "../seat"] {
            assert!(open(&server, wrong, certificate).await.is_err(), "{wrong}");
        }
        // A page that expects another certificate refuses ours.
        let other = serde_json::json!(vec![0; 32]);
        assert!(open(&server, &ticket, &other).await.is_err());
        assert!(!server.status().seats[0].datagrams);
        open(&server, &ticket, certificate).await.unwrap();
        drop(client);
        let began = Instant::now();
        while !server.status().seats.is_empty() {
            assert!(began.elapsed() < Duration::from_secs(20), "the seat ends");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(open(&server, &ticket, certificate).await.is_err());
    });
}

/// A proxy does not pass them on. A page that came through one reaches those of a server that listens for all, and its
/// policy lets it; but not those of one that listens on the loopback.
#[test]
fn behind_a_proxy_datagrams_are_for_servers_that_listen_for_all() {
    let token = || Some(Token::new("0123456789abcdef").unwrap());
    for (address, reaches) in [("127.0.0.1:0", false), ("0.0.0.0:0", true)] {
        let server = start(ServeConfig {
            address: address.parse().unwrap(),
            player_token: token(),
            operator_token: token(),
            origins: vec!["https://play.example.org".into()],
            ..config()
        });
        let port = server.address().port();
        let here = SocketAddr::from(([127, 0, 0, 1], port));
        let offer = block_on(async {
            let host = Some("play.example.org");
            let knock = Knock { host, token: Some("0123456789abcdef"), ..Knock::default() };
            offer(&mut Client::connect(here, knock).await.unwrap()).await
        });
        assert_eq!(offer["port"].as_u64(), reaches.then_some(port.into()), "{address}");
        let page = exchange(here, "GET / HTTP/1.1\r\nHost: play.example.org\r\n\r\n");
        let allowed = format!("connect-src 'self' https://play.example.org:{port}");
        assert_eq!(page.contains(&allowed), reaches, "{address}");
    }
    // A name that would add to the policy is none.
    let server = start(ServeConfig { origins: vec!["https://a;b".into()], ..config() });
    let request = format!("GET / HTTP/1.1\r\nHost: a;b:{}\r\n\r\n", server.address().port());
    assert!(!exchange(server.address(), &request).contains("connect-src"));
}
