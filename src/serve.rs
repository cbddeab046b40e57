//! `myriad serve`: visitors play this machine from their browsers.

use clap::builder::RangedU64ValueParser;
use myriad_engine::ThreadPolicy;
use myriad_live::Purpose;
use myriad_player::failure::Failure;
use myriad_player::machine::cores;
use myriad_player::renderer::RendererArgs;
use myriad_player::{interrupt, terminal};
use myriad_serve::{Limits, RATE, SHARE, ServeConfig, ServeError, Server, Token};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  myriad serve                                 for this machine's browser alone
  myriad serve --jam                           everybody hears everybody
  myriad serve --public --seats 40             for others: it prints the address with its token
  myriad serve --public --listen 127.0.0.1 --origin https://play.example.org
                                               behind a proxy that does TLS

docs/design/serve.md has the settings of a proxy.";

/// How often Ctrl-C is looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// Let others play this machine from their browsers
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 7_480)]
    port: u16,

    /// The address to listen on [default: 127.0.0.1; with --public all]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,

    /// Let other machines in, with a token
    #[arg(long)]
    public: bool,

    /// A file with the players' token [default: a random one, which is printed]
    #[arg(long, value_name = "FILE", requires = "public")]
    token_file: Option<PathBuf>,

    /// A file with the operator's token, for its page and metrics [default: a random one]
    #[arg(long, value_name = "FILE", requires = "public")]
    operator_token_file: Option<PathBuf>,

    /// A page that may connect, besides the server's own. May be repeated
    #[arg(long = "origin", value_name = "https://NAME")]
    origins: Vec<String>,

    /// The most visitors who play at once
    #[arg(long, default_value_t = 40, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000))]
    seats: usize,

    /// Everybody hears everybody
    #[arg(long)]
    jam: bool,

    /// The patch of a new visitor
    #[arg(long, default_value = "Velvet Tines", value_name = "NAME")]
    patch: String,

    /// Frames of a packet: fewer for less latency, more for less work
    #[arg(long, default_value_t = 256, value_name = "FRAMES")]
    block: usize,

    /// Threads that render [default: one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: Option<usize>,

    #[command(flatten)]
    renderer: RendererArgs,

    /// Print where it listens as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let listen = args.listen.unwrap_or(match args.public {
        true => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        false => loopback,
    });
    if !listen.is_loopback() && !args.public {
        return Err(Failure::misuse(format!(
            "--listen {listen}: others could play; add --public, which needs a token"
        )));
    }
    for origin in &args.origins {
        let name = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
        if name.is_none_or(|name| name.is_empty() || name.contains('/')) {
            return Err(Failure::misuse(format!(
                "--origin {origin}: give it as https://play.example.org"
            )));
        }
    }
    let token =
        |file: &Option<PathBuf>| args.public.then(|| read_token(file.as_deref())).transpose();
    let purpose = Purpose::Live { sample_rate: RATE as f32, thread_policy: ThreadPolicy::RealTime };
    let config = ServeConfig {
        address: SocketAddr::new(listen, args.port),
        player_token: token(&args.token_file)?,
        operator_token: token(&args.operator_token_file)?,
        origins: args.origins.clone(),
        seats: args.seats,
        jam: args.jam,
        block: args.block,
        threads: args.threads.unwrap_or_else(cores),
        renderer: args.renderer.choice(1, purpose),
        share: Some(SHARE),
        patch: args.patch.clone(),
        limits: Limits::default(),
    };
    let tokens = [config.player_token.clone(), config.operator_token.clone()];
    interrupt::install();
    let server = Server::start(config).map_err(|error| match error {
        ServeError::Patch(_) | ServeError::Block(_) | ServeError::NoToken => Failure::misuse(error),
        _ => Failure::failed(error),
    })?;
    announce(server.address(), &tokens, args)?;
    while !interrupt::requested() {
        std::thread::sleep(PAUSE);
    }
    let status = server.status();
    server.stop();
    if !args.json {
        terminal::say(&format!(
            "myriad: stopped after {}; {} visits, {} deadlines of {} missed",
            terminal::clock(status.uptime_s),
            status.visits,
            status.missed,
            status.blocks
        ));
    }
    Ok(())
}

/// Says where to go.
fn announce(address: SocketAddr, tokens: &[Option<Token>; 2], args: &Args) -> Result<(), Failure> {
    let site = match args.origins.first() {
        Some(origin) => origin.clone(),
        None if address.ip().is_unspecified() => {
            format!("http://THIS-MACHINE:{}", address.port())
        }
        None => format!("http://{address}"),
    };
    let [player, operator] = tokens.each_ref().map(|token| {
        token.as_ref().map_or(String::new(), |token| format!("#token={}", token.reveal()))
    });
    let (page, status) =
        (format!("{site}/?play=server{player}"), format!("{site}/operator{operator}"));
    let text = match args.json {
        true => {
            serde_json::json!({ "address": address, "page": page, "operator": status }).to_string()
        }
        false => format!(
            "Open {page} in a browser to play.\nThe operator's page: {status}\nCtrl-C stops the server."
        ),
    };
    terminal::print(&format!("{text}\n"))
}

fn read_token(file: Option<&Path>) -> Result<Token, Failure> {
    let Some(file) = file else {
        return Token::random().map_err(|error| Failure::failed(format!("no token: {error}")));
    };
    let problem =
        |error: &dyn std::fmt::Display| Failure::failed(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| problem(&error))?;
    Token::new(text.trim()).map_err(|error| problem(&error))
}
