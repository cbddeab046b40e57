//! Requests: the page, the operator's page, health, metrics, and the way to a seat.

use crate::access::{Token, is_host_allowed, is_origin_allowed};
use crate::connection;
use crate::pages;
use crate::protocol::{Format, SUBPROTOCOL};
use crate::server::State;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::OwnedSemaphorePermit;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

type Answer = Response<Full<Bytes>>;

/// Headers of every answer, besides those of the page: nothing of it is for other sites, and a new version
/// is seen at once.
const HEADERS: [(&str, &str); 3] = [
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ("Cache-Control", "no-cache"),
];

/// The header that says what a page may load and reach.
const POLICY: &str = "Content-Security-Policy";

/// Answers a request. `visitor` is its place among the connections that are no seats.
pub(crate) async fn answer(
    request: Request<Incoming>,
    state: Arc<State>,
    visitor: Arc<OwnedSemaphorePermit>,
) -> Result<Answer, Infallible> {
    let is_head = request.method() == Method::HEAD;
    let policy = text_of(request.headers(), header::HOST).and_then(|host| policy(host, &state));
    let mut answer = match request.method() {
        &Method::GET | &Method::HEAD => route(request, &state, visitor).await,
        _ => text(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered\n"),
    };
    for (name, value) in myriad_web::HEADERS.iter().chain(&HEADERS) {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            answer.headers_mut().insert(name, HeaderValue::from_static(value));
        }
    }
    if let Some(policy) = policy {
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    // One request a connection: nobody keeps a place without a use.
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if is_head {
        *answer.body_mut() = Full::default();
    }
    Ok(answer)
}

async fn route(
    request: Request<Incoming>,
    state: &Arc<State>,
    visitor: Arc<OwnedSemaphorePermit>,
) -> Answer {
    let host = text_of(request.headers(), header::HOST).map(str::to_owned);
    if !is_host_allowed(host.as_deref(), state.address, &state.config.origins) {
        state.counters.forbidden.fetch_add(1, Relaxed);
        return text(StatusCode::MISDIRECTED_REQUEST, "this server has another name\n");
    }
    match request.uri().path() {
        "/health" => text(StatusCode::OK, "ok\n"),
        "/about" => json(about(state)),
        "/seat" => seat(request, state, host.as_deref().unwrap_or_default(), visitor),
        path @ ("/status" | "/metrics") => {
            if !has_token(request.headers(), state.config.operator_token.as_ref()) {
                state.counters.forbidden.fetch_add(1, Relaxed);
                return text(StatusCode::UNAUTHORIZED, "the operator's token is needed\n");
            }
            let asked = Arc::clone(state);
            let status = tokio::task::spawn_blocking(move || asked.status()).await;
            match (status, path) {
                (Ok(status), "/status") => json(status.to_json()),
                (Ok(status), _) => text(StatusCode::OK, &status.to_metrics()),
                (Err(_), _) => text(StatusCode::INTERNAL_SERVER_ERROR, "failed\n"),
            }
        }
        path => match pages::find(path) {
            Some(file) => with_type(file.media_type, Bytes::from_static(file.bytes)),
            None => text(StatusCode::NOT_FOUND, "there is no such page\n"),
        },
    }
}

/// Whether a page that calls this server `host` can reach its datagrams: not through a proxy to a server that listens
/// on the loopback.
fn reaches_datagrams(host: &str, state: &State) -> bool {
    let port = state.address.port().to_string();
    let is_direct = host.rsplit_once(':').is_some_and(|(_, it)| it == port);
    state.datagrams.is_some() && (is_direct || !state.address.ip().is_loopback())
}

/// The content security policy of a page that may also reach the datagrams.
fn policy(host: &str, state: &State) -> Option<HeaderValue> {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    if !is_name || !reaches_datagrams(host, state) {
        return None;
    }
    let (_, policy) = myriad_web::HEADERS.iter().find(|(name, _)| *name == POLICY)?;
    let port = state.address.port();
    HeaderValue::from_str(&format!("{policy}; connect-src 'self' https://{name}:{port}")).ok()
}

/// What a page must know before it asks for a seat.
fn about(state: &State) -> String {
    serde_json::json!({
        "server": "myriad",
        "version": env!("CARGO_PKG_VERSION"),
        "protocol": SUBPROTOCOL,
        "rate": crate::config::RATE,
        "free": state.seat_permits.available_permits(),
        "needsToken": state.config.player_token.is_some(),
        "jam": state.config.jam,
    })
    .to_string()
}

/// Opens a seat: the connection becomes a WebSocket.
fn seat(
    mut request: Request<Incoming>,
    state: &Arc<State>,
    host: &str,
    visitor: Arc<OwnedSemaphorePermit>,
) -> Answer {
    let headers = request.headers();
    let is = |name, wanted: &str| {
        let has = |text: &str| text.split(',').any(|part| part.trim().eq_ignore_ascii_case(wanted));
        text_of(headers, name).is_some_and(has)
    };
    let Some(key) = text_of(headers, header::SEC_WEBSOCKET_KEY) else {
        return text(StatusCode::UPGRADE_REQUIRED, "a seat is a WebSocket\n");
    };
    if !is(header::UPGRADE, "websocket")
        || !is(header::CONNECTION, "upgrade")
        || text_of(headers, header::SEC_WEBSOCKET_VERSION) != Some("13")
        || !is(header::SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL)
    {
        return text(StatusCode::BAD_REQUEST, "a seat is a WebSocket of protocol myriad.1\n");
    }
    if !is_origin_allowed(text_of(headers, header::ORIGIN), host, &state.config.origins) {
        state.counters.forbidden.fetch_add(1, Relaxed);
        return text(StatusCode::FORBIDDEN, "pages of other sites may not play here\n");
    }
    let offered = text_of(headers, header::SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
    let token = offered.split(',').find_map(|part| part.trim().strip_prefix("token."));
    if let Some(wanted) = &state.config.player_token
        && !wanted.matches(token.unwrap_or_default())
    {
        state.counters.forbidden.fetch_add(1, Relaxed);
        return text(StatusCode::UNAUTHORIZED, "the players' token is needed\n");
    }
    let mut format = Format::default();
    for (name, value) in
        request.uri().query().unwrap_or("").split('&').filter_map(|p| p.split_once('='))
    {
        match (name, Format::named(value)) {
            ("format", Some(named)) => format = named,
            _ => return text(StatusCode::BAD_REQUEST, "the format is float, int16 or opus\n"),
        }
    }
    let accept = derive_accept_key(key.as_bytes());
    let has_datagrams = reaches_datagrams(host, state);
    let permit = match Arc::clone(&state.seat_permits).try_acquire_owned() {
        Ok(permit) if !state.is_overloaded() => permit,
        _ => {
            state.counters.full.fetch_add(1, Relaxed);
            return text(StatusCode::SERVICE_UNAVAILABLE, "all seats are taken\n");
        }
    };
    let (upgrade, state) = (hyper::upgrade::on(&mut request), Arc::clone(state));
    tokio::spawn(async move {
        let upgraded = upgrade.await;
        // From here on it counts as a seat.
        drop(visitor);
        if let Ok(upgraded) = upgraded {
            connection::play(upgraded, &state, format, has_datagrams).await;
        }
        drop(permit);
    });
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let fields = answer.headers_mut();
    fields.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    fields.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    fields.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    if let Ok(accept) = HeaderValue::from_str(&accept) {
        fields.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    }
    answer
}

/// Whether a request shows the token that is wanted, if any.
fn has_token(headers: &HeaderMap, wanted: Option<&Token>) -> bool {
    let shown = text_of(headers, header::AUTHORIZATION);
    let shown = shown.and_then(|text| text.strip_prefix("Bearer ")).unwrap_or_default();
    wanted.is_none_or(|token| token.matches(shown))
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn text(status: StatusCode, text: &str) -> Answer {
    let mut answer =
        with_type("text/plain; charset=utf-8", Bytes::copy_from_slice(text.as_bytes()));
    *answer.status_mut() = status;
    answer
}

fn json(text: String) -> Answer {
    with_type("application/json", Bytes::from(text))
}

fn with_type(media_type: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    answer
}
