//! Who may connect: tokens, and the origins of pages.

use std::net::{IpAddr, SocketAddr};

/// The shortest token: long enough that nobody guesses it.
pub const SHORTEST_TOKEN: usize = 16;
const LONGEST_TOKEN: usize = 128;

/// A secret that a visitor must show.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Why a text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token has {SHORTEST_TOKEN} to {LONGEST_TOKEN} letters and digits, or - and _")]
pub struct TokenError;

impl Token {
    /// A token that the operator chose.
    ///
    /// # Errors
    /// When it is too short, too long, or has characters that addresses and headers do not.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        match plain && (SHORTEST_TOKEN..=LONGEST_TOKEN).contains(&text.len()) {
            true => Ok(Self(text.to_owned())),
            false => Err(TokenError),
        }
    }

    /// A random one of 128 bits.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token, to be shown to whoever started the server.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `shown` is this token. Takes the same time wherever they differ.
    pub fn matches(&self, shown: &str) -> bool {
        let (own, shown) = (self.0.as_bytes(), shown.as_bytes());
        let mut differences = own.len() ^ shown.len();
        for index in 0..LONGEST_TOKEN {
            let byte = |bytes: &[u8]| bytes.get(index).copied().unwrap_or(0);
            differences |= usize::from(std::hint::black_box(byte(own) ^ byte(shown)));
        }
        std::hint::black_box(differences) == 0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Whether a request may be answered, by the names it uses for this server. A page of another site must
/// not use a visitor's browser to reach a server on the loopback, also not by a name of its own that leads
/// here (DNS rebinding).
pub(crate) fn is_host_allowed(host: Option<&str>, bound: SocketAddr, origins: &[String]) -> bool {
    // Everybody may ask a server that everybody can reach; then the token decides.
    if !bound.ip().is_loopback() {
        return true;
    }
    let Some(host) = host else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let is_loopback = match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(ip) => ip.is_loopback(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    };
    is_loopback || origins.iter().any(|origin| host_of(origin) == Some(host))
}

/// Whether a page from `origin` may open a seat. Programs that are no browsers send none.
pub(crate) fn is_origin_allowed(origin: Option<&str>, host: &str, origins: &[String]) -> bool {
    match origin {
        None => true,
        Some(origin) => {
            host_of(origin) == Some(host) || origins.iter().any(|allowed| allowed == origin)
        }
    }
}

fn host_of(origin: &str) -> Option<&str> {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_matches_itself_alone() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.matches("0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0"] {
            assert!(!token.matches(wrong), "{wrong}");
        }
        assert!(Token::new("short").is_err());
        assert!(Token::new("0123456789abcdef\r\n").is_err());
        assert_ne!(Token::random().unwrap(), Token::random().unwrap());
        assert!(!format!("{token:?}").contains("0123"));
    }

    #[test]
    fn other_sites_cannot_reach_a_server_on_the_loopback() {
        let bound = "127.0.0.1:7777".parse().unwrap();
        let allowed = |host| is_host_allowed(host, bound, &["https://play.example.org".into()]);
        for host in ["127.0.0.1:7777", "localhost:7777", "[::1]:7777", "play.example.org"] {
            assert!(allowed(Some(host)), "{host}");
        }
        for host in [Some("evil.example:7777"), Some("127.0.0.1.evil.example"), None] {
            assert!(!allowed(host), "{host:?}");
        }
    }

    #[test]
    fn seats_are_for_the_own_page_and_for_those_that_were_named() {
        let origins = ["https://play.example.org".to_owned()];
        let allowed = |origin| is_origin_allowed(origin, "localhost:7777", &origins);
        assert!(allowed(None));
        assert!(allowed(Some("http://localhost:7777")));
        assert!(allowed(Some("https://play.example.org")));
        for origin in ["http://localhost:7778", "https://evil.example", "null", ""] {
            assert!(!allowed(Some(origin)), "{origin}");
        }
    }
}
