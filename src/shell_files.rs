//! `myriad shell-files`: man pages and completions of shells, made from the commands. Packages contain
//! them; users do not call it.

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use myriad_files::atomic_file;
use myriad_player::failure::Failure;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Write man pages and shell completions
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder that they go to, as under /usr/share
    folder: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut command = crate::Cli::command();
    // Gives subcommands their full names.
    command.build();
    write_all(&command, &args.folder)
        .map_err(|error| Failure::failed(format!("{}: {error}", args.folder.display())))
}

fn write_all(command: &Command, folder: &Path) -> io::Result<()> {
    let subcommands = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    for page in subcommands.chain([command]).filter(|page| page.get_name() != "help") {
        let name = page.get_display_name().unwrap_or(page.get_name());
        let mut text = Vec::new();
        Man::new(page.clone()).render(&mut text)?;
        write(folder, &format!("man/man1/{name}.1"), &text)?;
    }
    let shells = [
        (Shell::Bash, "bash-completion/completions/myriad"),
        (Shell::Zsh, "zsh/site-functions/_myriad"),
        (Shell::Fish, "fish/vendor_completions.d/myriad.fish"),
        (Shell::PowerShell, "powershell/myriad.ps1"),
    ];
    for (shell, place) in shells {
        let mut text = Vec::new();
        generate(shell, &mut command.clone(), command.get_name(), &mut text);
        write(folder, place, &text)?;
    }
    Ok(())
}

fn write(folder: &Path, place: &str, bytes: &[u8]) -> io::Result<()> {
    let path = folder.join(place);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    atomic_file::write(&path, bytes)
}
