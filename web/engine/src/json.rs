//! Writes JSON, without a package for it: a module that people download is small.

/// A string in quotes.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of values that are JSON already.
pub(crate) fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// An object of fields whose values are JSON already.
pub(crate) fn object<const N: usize>(fields: [(&str, String); N]) -> String {
    let field = |(name, value): &(&str, String)| format!("{}:{value}", text(name));
    format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
}
