//! Embeds every patch of `assets/patches` and every drum of `assets/drums`, so that adding one is adding
//! a file.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let list = list("FILES", "assets/patches")? + &list("DRUMS", "assets/drums")?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("factory_list.rs"), list)
}

/// A constant with the names and texts of the files in a folder.
fn list(constant: &str, folder: &str) -> io::Result<String> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&root).join(folder);
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut list = format!("pub(super) const {constant}: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        writeln!(list, "({name:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    list.push_str("];\n");
    Ok(list)
}
