//! Who gets in, and what can be reached.

use super::*;
use myriad_serve::{ServeError, Token};

const PLAYER: &str = "players-players-players";
const OPERATOR: &str = "operator-operator-operator";

fn public() -> ServeConfig {
    ServeConfig {
        player_token: Some(Token::new(PLAYER).unwrap()),
        operator_token: Some(Token::new(OPERATOR).unwrap()),
        origins: vec!["https://play.example.org".into()],
        ..config()
    }
}

/// The status of the refusal, if it was one.
fn refusal(server: &Server, knock: Knock<'_>) -> Option<u16> {
    use tokio_tungstenite::tungstenite::Error;
    match block_on(Client::connect(server.address(), knock)).map_err(|error| *error) {
        Ok(_) => None,
        Err(Error::Http(answer)) => Some(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn seats_need_the_token_and_a_page_of_ours() {
    let server = start(public());
    let (wrong, own) = ("players-players-playerz", format!("http://{}", server.address()));
    for (token, origin, status) in [
        (None, None, Some(401)),
        (Some(wrong), None, Some(401)),
        (Some(OPERATOR), None, Some(401)),
        (Some(PLAYER), Some("https://evil.example"), Some(403)),
        (Some(PLAYER), Some("null"), Some(403)),
        (Some(PLAYER), Some("https://play.example.org"), None),
        (Some(PLAYER), Some(own.as_str()), None),
        (Some(PLAYER), None, None),
    ] {
        let knock = Knock { token, origin, ..Knock::default() };
        assert_eq!(refusal(&server, knock), status, "{token:?} {origin:?}");
    }
    let knock = Knock { token: Some(PLAYER), query: "format=mp3", ..Knock::default() };
    assert_eq!(refusal(&server, knock), Some(400));
    assert!(server.status().forbidden >= 5);
}

#[test]
fn the_operators_numbers_need_the_operators_token() {
    let server = start(public());
    let address = server.address();
    let shown = |token: &str| format!("Authorization: Bearer {token}\r\n");
    for path in ["/metrics", "/status"] {
        assert!(get(address, path, "").starts_with("HTTP/1.1 401"));
        assert!(get(address, path, &shown(PLAYER)).starts_with("HTTP/1.1 401"));
    }
    let metrics = get(address, "/metrics", &shown(OPERATOR));
    assert!(metrics.contains("\nmyriad_serve_seats_max 8\n"), "{metrics}");
    assert!(get(address, "/status", &shown(OPERATOR)).contains("\"mostSeats\":8"));
    assert!(get(address, "/health", "").ends_with("ok\n"));
    let about = get(address, "/about", "");
    assert!(about.contains("\"needsToken\":true") && !about.contains(PLAYER), "{about}");
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    let open = ServeConfig { address: "0.0.0.0:0".parse().unwrap(), ..config() };
    assert!(matches!(Server::start(open), Err(ServeError::NoToken)));
    let block = ServeConfig { block: 100, ..config() };
    assert!(matches!(Server::start(block), Err(ServeError::Block(100))));
    let patch = ServeConfig { patch: "No Such Patch".into(), ..config() };
    assert!(matches!(Server::start(patch), Err(ServeError::Patch(_))));
}

#[test]
fn pages_are_isolated_and_no_file_can_be_reached() {
    let server = start(config());
    let address = server.address();
    let page = get(address, "/operator", "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(get(address, "/", "").contains("<html"), "the page");
    for header in [
        "content-security-policy: default-src 'self'",
        "cross-origin-opener-policy: same-origin",
        "cross-origin-embedder-policy: require-corp",
        "x-content-type-options: nosniff",
    ] {
        assert!(page.contains(header), "{header}");
    }
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "//etc/passwd",
        "/operator/../../etc/passwd",
        "/./operator",
        "/operator%00",
        "/\\..\\Cargo.toml",
        "/.git/config",
    ] {
        let answer = get(address, path, "");
        let refused = ["HTTP/1.1 404", "HTTP/1.1 400"].iter().any(|s| answer.starts_with(s));
        assert!(refused, "{path}: {answer}");
    }
    for (request, status) in [
        ("POST /operator HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "405"),
        ("GET /operator HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421"),
        ("GET /operator HTTP/1.1\r\n\r\n", "421"),
        ("GET /seat HTTP/1.1\r\nHost: localhost\r\n\r\n", "426"),
        ("nonsense\r\n\r\n", "400"),
    ] {
        let answer = exchange(address, request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request:?}: {answer}");
    }
    let long = format!("X: {}\r\n", "y".repeat(100_000));
    assert!(get(address, "/operator", &long).starts_with("HTTP/1.1 431"));
}
