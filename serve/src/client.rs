//! A client for programs: what a page does, without sound. For tests and measurements.

use crate::protocol::{PacketHeader, SUBPROTOCOL, read_packet};
use futures_util::{SinkExt, StreamExt};
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

/// A connection to a seat.
#[derive(Debug)]
pub struct Client {
    socket: WebSocketStream<TcpStream>,
}

/// What a seat sends.
#[derive(Debug)]
pub enum Incoming {
    /// Sound, left and right in turn.
    Sound(PacketHeader, Vec<f32>),
    /// A message as JSON.
    Text(serde_json::Value),
    /// The connection has ended, with this code if the server said one.
    Closed(Option<u16>),
}

/// How to ask for a seat.
#[derive(Clone, Copy, Debug, Default)]
pub struct Knock<'a> {
    /// The players' token.
    pub token: Option<&'a str>,
    /// The page's origin, as browsers send it.
    pub origin: Option<&'a str>,
    /// The name of the server, where it is another one than its address.
    pub host: Option<&'a str>,
    /// What follows `?` in the address.
    pub query: &'a str,
}

impl Client {
    /// Asks for a seat.
    ///
    /// # Errors
    /// When the server refuses, with its status.
    pub async fn connect(address: SocketAddr, knock: Knock<'_>) -> Result<Self, Box<Error>> {
        let query = if knock.query.is_empty() { "" } else { "?" };
        let url = format!("ws://{address}/seat{query}{}", knock.query);
        let mut request = url.into_client_request().map_err(Box::new)?;
        let mut protocols = SUBPROTOCOL.to_owned();
        if let Some(token) = knock.token {
            protocols += &format!(", token.{token}");
        }
        for (name, value) in [
            ("sec-websocket-protocol", Some(protocols.as_str())),
            ("origin", knock.origin),
            ("host", knock.host),
        ] {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
                request.headers_mut().insert(name, value);
            }
        }
        let stream = TcpStream::connect(address).await.map_err(|e| Box::new(Error::Io(e)))?;
        stream.set_nodelay(true).map_err(|error| Box::new(Error::Io(error)))?;
        let connected = tokio_tungstenite::client_async(request, stream).await;
        let (socket, _) = connected.map_err(Box::new)?;
        Ok(Self { socket })
    }

    /// Sends a message as JSON.
    ///
    /// # Errors
    /// When the connection has ended.
    pub async fn send(&mut self, message: impl Into<String>) -> Result<(), Box<Error>> {
        self.send_raw(Message::text(message.into())).await
    }

    /// Sends any message.
    ///
    /// # Errors
    /// When the connection has ended.
    pub async fn send_raw(&mut self, message: Message) -> Result<(), Box<Error>> {
        self.socket.send(message).await.map_err(Box::new)
    }

    /// The next thing that the seat sends.
    pub async fn next(&mut self) -> Incoming {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Binary(bytes))) => {
                    if let Some((header, samples)) = read_packet(&bytes) {
                        return Incoming::Sound(header, samples);
                    }
                }
                Some(Ok(Message::Text(text))) => {
                    if let Ok(value) = serde_json::from_str(&text) {
                        return Incoming::Text(value);
                    }
                }
                Some(Ok(Message::Close(frame))) => {
                    return Incoming::Closed(frame.map(|frame| frame.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Incoming::Closed(None),
            }
        }
    }

    /// The socket, for tests that misuse it.
    pub fn stream(&mut self) -> &mut TcpStream {
        self.socket.get_mut()
    }
}
