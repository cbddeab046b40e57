//! Through a PulseAudio server, by cpal.

use crate::player::{Player, SINE};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A server with a null sink.
struct Server {
    folder: TempDir,
    process: Child,
}

impl Server {
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let process = spawn(folder.path());
        Self { folder, process }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let _ = std::fs::remove_file(self.socket());
    }

    fn restart(&mut self) {
        self.process = spawn(self.folder.path());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(folder: &Path) -> Child {
    let socket = folder.join("socket");
    let module =
        format!("module-native-protocol-unix socket={} auth-anonymous=1", socket.display());
    let process = Command::new("pulseaudio")
        .args(["-n", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm", "--use-pid-file=no"])
        .args(["-L", "module-null-sink rate=48000", "-L", &module])
        .env("HOME", folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("XDG_RUNTIME_DIR", folder)
        .env_remove("PULSE_COOKIE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("pulseaudio is installed by `./setup test`");
    let start = Instant::now();
    while !socket.exists() {
        assert!(start.elapsed() < Duration::from_mins(5), "no PulseAudio server starts here");
        std::thread::sleep(Duration::from_millis(20));
    }
    process
}

/// The server is killed and restarted; the player reconnects, and the recording has every frame. Neither has anything in its home folder, like
/// a user who never started PulseAudio.
#[test]
fn a_song_survives_its_server() {
    let mut server = Server::start();
    let address = format!("unix:{}", server.socket().display());
    let args = "--host pulse --load 1x1 --patch sine.toml --record take.wav";
    let home = TempDir::new().unwrap();
    let variables = [("PULSE_SERVER", address.as_str()), ("HOME", home.path().to_str().unwrap())];
    let mut player = Player::start_with(args, &[("sine.toml", SINE)], &variables);
    player.wait_for("a voice", |line| line["voices"] == 1);
    let status = player.status();
    assert_eq!(status["host"], "PulseAudio", "{status}");
    assert_eq!(status["connected"], true, "{status}");
    // What libpulse would have left there.
    let cookie = std::fs::read(home.path().join(".config/pulse/cookie")).unwrap();
    assert_eq!(cookie.len(), 256);

    server.kill();
    player.note("playing on in silence");
    server.restart();
    player.note("plays again");
    let back = player.status();
    assert_eq!((&back["connected"], &back["voices"]), (&true.into(), &1.into()), "{back}");

    assert_eq!(player.interrupt(), Some(0));
    let end = player.log.last().unwrap();
    assert_eq!(end["recorded_frames"], end["frames"], "{end}");
    assert_eq!(end["unrecorded_frames"], 0, "{end}");
}
