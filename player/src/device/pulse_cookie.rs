//! The cookie that PulseAudio asks every client for.
//!
//! Servers and libpulse keep 256 random bytes in `~/.config/pulse/cookie`. A server closes the
//! connection of a client that sends fewer, even when it would let anybody in. The crate under cpal
//! sends what is in the file and nothing where there is no file, so we do what libpulse does and
//! write one.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes of a cookie; a server takes no other number.
const LENGTH: usize = 256;

/// Writes a cookie where a server runs and none is found.
///
/// # Errors
/// When there is no place to write it to.
pub(super) fn ensure() -> io::Result<()> {
    if pulseaudio::socket_path_from_env().is_none() {
        return Ok(());
    }
    let home = std::env::home_dir().ok_or(io::ErrorKind::NotFound)?;
    ensure_in(std::env::var_os("PULSE_COOKIE").as_deref(), &home)
}

/// The same with the variables given: `named` is `PULSE_COOKIE`.
fn ensure_in(named: Option<&OsStr>, home: &Path) -> io::Result<()> {
    let usual = home.join(".config/pulse/cookie");
    let old = home.join(".pulse-cookie");
    // The order in which the client looks; it takes the first that exists.
    let places = named.map(PathBuf::from).into_iter().chain([usual, old]);
    let places: Vec<PathBuf> = places.collect();
    let found = places.iter().find(|place| place.exists());
    match found {
        Some(place) if fs::metadata(place)?.len() >= LENGTH as u64 => Ok(()),
        Some(place) => write(place),
        None => write(&places[0]),
    }
    .map_err(|error| {
        let place = found.unwrap_or(&places[0]).display();
        io::Error::new(error.kind(), format!("no cookie in {place}: {error}"))
    })
}

/// Writes random bytes beside `place` and renames them, so that no client reads half of them.
fn write(place: &Path) -> io::Result<()> {
    let mut cookie = [0; LENGTH];
    File::open("/dev/urandom")?.read_exact(&mut cookie)?;
    if let Some(folder) = place.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let beside = place.with_extension(format!("{}.new", std::process::id()));
    let mut options = File::options();
    let file = options.write(true).create(true).truncate(true).mode(0o600);
    file.open(&beside)?.write_all(&cookie)?;
    fs::rename(&beside, place).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_empty_home_gets_a_cookie_that_only_its_owner_reads() {
        let home = tempfile::tempdir().unwrap();
        ensure_in(None, home.path()).unwrap();
        let place = home.path().join(".config/pulse/cookie");
        let cookie = fs::read(&place).unwrap();
        assert_eq!(cookie.len(), LENGTH);
        assert!(cookie.iter().any(|byte| *byte != cookie[0]));
        let mode = fs::metadata(&place).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // It stays what it is.
        ensure_in(None, home.path()).unwrap();
        assert_eq!(fs::read(&place).unwrap(), cookie);
    }

    #[test]
    fn a_cookie_is_written_where_the_client_looks() {
        let home = tempfile::tempdir().unwrap();
        let old = home.path().join(".pulse-cookie");
        fs::write(&old, [7; LENGTH]).unwrap();
        ensure_in(None, home.path()).unwrap();
        assert!(!home.path().join(".config").exists());
        let named = home.path().join("named");
        ensure_in(Some(named.as_os_str()), home.path()).unwrap();
        assert!(!named.exists(), "the client finds the other one");
        // One that is too short is written again, as libpulse does.
        fs::write(&old, "short").unwrap();
        ensure_in(None, home.path()).unwrap();
        assert_eq!(fs::read(&old).unwrap().len(), LENGTH);
        fs::remove_file(&old).unwrap();
        ensure_in(Some(named.as_os_str()), home.path()).unwrap();
        assert_eq!(fs::read(&named).unwrap().len(), LENGTH);
    }

    #[test]
    fn a_home_that_cannot_be_written_to_is_named() {
        let error = ensure_in(None, Path::new("/dev/null")).unwrap_err();
        assert!(error.to_string().contains("/dev/null/.config"), "{error}");
    }
}
