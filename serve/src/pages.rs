//! The pages, embedded: nothing on the server's disk can be reached.

/// A file of a page.
pub(crate) struct Page {
    path: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) bytes: &'static [u8],
}

macro_rules! page {
    ($path:literal, $media_type:literal, $file:literal) => {
        Page { path: $path, media_type: $media_type, bytes: include_bytes!($file) }
    };
}

const PAGES: &[Page] = &[
    page!("/operator", "text/html; charset=utf-8", "../pages/operator.html"),
    page!("/operator.js", "text/javascript; charset=utf-8", "../pages/operator.js"),
    page!("/operator.css", "text/css; charset=utf-8", "../pages/operator.css"),
];

/// The file with this path, which must be exactly one of ours.
pub(crate) fn find(path: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.path == path)
}
