//! Myriad's page as files in the program: what a browser needs to play the engine.
//!
//! `web/page` has the sources, which are served as they are. The engine's modules are compiled by
//! `web/build` and kept in `web/built`, so that nobody needs a WebAssembly toolchain to build Myriad.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its path, relative to the page.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What it contains.
    pub bytes: &'static [u8],
}

macro_rules! files {
    ($($path:literal from $file:literal as $type:expr;)*) => {
        /// Every file of the page.
        pub static FILES: &[File] = &[$(File {
            path: $path,
            media_type: $type,
            bytes: include_bytes!(concat!("../", $file)),
        }),*];
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const FONT: &str = "font/ttf";
/// Packed modules: the page unpacks them itself, so that any server of files will do.
const PACKED: &str = "application/gzip";

files! {
    "index.html" from "page/index.html" as "text/html; charset=utf-8";
    "style.css" from "page/style.css" as "text/css; charset=utf-8";
    "icon.svg" from "page/icon.svg" as "image/svg+xml";
    "manifest.webmanifest" from "page/manifest.webmanifest" as "application/manifest+json";
    "inter-regular.ttf" from "../assets/fonts/inter-regular.ttf" as FONT;
    "inter-semibold.ttf" from "../assets/fonts/inter-semibold.ttf" as FONT;
    "main.js" from "page/main.js" as SCRIPT;
    "engine.js" from "page/engine.js" as SCRIPT;
    "catalogue.js" from "page/catalogue.js" as SCRIPT;
    "messages.js" from "page/messages.js" as SCRIPT;
    "meters.js" from "page/meters.js" as SCRIPT;
    "local.js" from "page/local.js" as SCRIPT;
    "local-worklet.js" from "page/local-worklet.js" as SCRIPT;
    "remote.js" from "page/remote.js" as SCRIPT;
    "stream-worker.js" from "page/stream-worker.js" as SCRIPT;
    "stream-worklet.js" from "page/stream-worklet.js" as SCRIPT;
    "jitter-buffer.js" from "page/jitter-buffer.js" as SCRIPT;
    "cloud.js" from "page/cloud.js" as SCRIPT;
    "keyboard.js" from "page/keyboard.js" as SCRIPT;
    "computer-keys.js" from "page/computer-keys.js" as SCRIPT;
    "midi.js" from "page/midi.js" as SCRIPT;
    "panels.js" from "page/panels.js" as SCRIPT;
    "knob.js" from "page/knob.js" as SCRIPT;
    "browser.js" from "page/browser.js" as SCRIPT;
    "share.js" from "page/share.js" as SCRIPT;
    "recorder.js" from "page/recorder.js" as SCRIPT;
    "recorder-worklet.js" from "page/recorder-worklet.js" as SCRIPT;
    "service-worker.js" from "page/service-worker.js" as SCRIPT;
    "engine.wasm.gz" from "built/engine.wasm.gz" as PACKED;
    "engine-relaxed.wasm.gz" from "built/engine-relaxed.wasm.gz" as PACKED;
}

/// Headers that every file of the page is served with. The first two isolate it from other origins, so
/// that it may share memory with its audio thread; it works without them, by messages.
pub static HEADERS: &[(&str, &str)] = &[
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    (
        "Content-Security-Policy",
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
         object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
];

/// The file at a path as a browser asks for it, without the leading slash; the page for none.
pub fn file(path: &str) -> Option<&'static File> {
    let path = if path.is_empty() { "index.html" } else { path };
    FILES.iter().find(|file| file.path == path)
}
