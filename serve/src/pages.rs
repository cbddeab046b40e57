//! The pages, embedded: nothing on the server's disk can be reached.

use myriad_web::File;

macro_rules! file {
    ($path:literal as $media_type:literal) => {
        File {
            path: $path,
            media_type: $media_type,
            bytes: include_bytes!(concat!("../pages/", $path)),
        }
    };
}

/// The operator's page.
const OPERATOR: &[File] = &[
    file!("operator.html" as "text/html; charset=utf-8"),
    file!("operator.js" as "text/javascript; charset=utf-8"),
    file!("operator.css" as "text/css; charset=utf-8"),
];

/// The file with this path, which must be exactly one of ours.
pub(crate) fn find(path: &str) -> Option<&'static File> {
    let path = path.strip_prefix('/')?;
    let path = if path == "operator" { "operator.html" } else { path };
    OPERATOR.iter().find(|file| file.path == path).or_else(|| myriad_web::file(path))
}
