//! Migration of old patch formats, one version at a time. Every old patch keeps loading.

use super::text::{Content, Document, Entry};

/// Migrates a document of `format` to the current one.
pub(super) fn migrate(document: &mut Document, mut format: u32) {
    for (_, zone) in &mut document.key_zones {
        migrate(zone, format);
    }
    while format < super::FORMAT {
        let routes = document.routes.iter_mut().flat_map(|(_, route)| route);
        for entry in document.entries.iter_mut().chain(routes) {
            step(entry, format);
        }
        if format == 2 {
            keep_loudness_as_it_was(document);
            keep_positions(document);
        }
        format += 1;
    }
}

/// Format 3 compensates the loudness that tilt and formant hold change. Older patches were made
/// without that.
fn keep_loudness_as_it_was(document: &mut Document) {
    document.entries.push(Entry {
        key: "shape.balance".into(),
        content: Content::Number(0.0),
        line: 1,
    });
}

/// In format 3 the saw and square tables brighten evenly with the position; before, they were
/// nearly sines at half of it. Position p of old formats is p² now.
fn keep_positions(document: &mut Document) {
    let bent = |entry: &Entry| match &entry.content {
        Content::Text(table) => table == "saw" || table == "square",
        _ => false,
    };
    let table = document.entries.iter().find(|e| e.key == "source.table");
    if !table.is_none_or(bent) {
        return;
    }
    let position = document.entries.iter_mut().find(|e| e.key == "source.position");
    let before = match position {
        Some(Entry { content: Content::Number(position), .. }) => {
            let before = *position;
            *position *= before;
            before
        }
        Some(_) => return,
        None => {
            document.entries.push(Entry {
                key: "source.position".into(),
                content: Content::Number(0.25),
                line: 1,
            });
            0.5
        }
    };
    for (_, route) in &mut document.routes {
        let to_position = |entry: &Entry| {
            entry.key == "to" && entry.content == Content::Text("source.position".into())
        };
        if route.iter().any(to_position) {
            // Keeps the slope of the modulation at the knob's value.
            let amount = route.iter_mut().find(|entry| entry.key == "amount");
            if let Some(Content::Number(amount)) = amount.map(|entry| &mut entry.content) {
                *amount *= 2.0 * before;
            }
        }
    }
}

/// Renames of format `from + 1`.
fn step(entry: &mut Entry, from: u32) {
    const RENAMED: &[(u32, &str, &str)] =
        &[(1, "amp.volume", "amp.level"), (1, "shape.inharmonicity", "shape.stiffness")];
    for &(format, old, new) in RENAMED {
        if format == from && entry.key == old {
            entry.key = new.into();
        }
        // Routes name parameters too.
        if format == from
            && entry.key == "to"
            && let Content::Text(target) = &mut entry.content
            && target == old
        {
            *target = new.into();
        }
    }
}
