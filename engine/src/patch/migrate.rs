//! Old formats: what changed from one to the next. Every old patch keeps loading.

use super::text::{Content, Entry};

/// Brings entries of `format` to the next one, until they are current.
pub(super) fn migrate(entries: &mut [Entry], mut format: u32) {
    while format < super::FORMAT {
        for entry in entries.iter_mut() {
            step(entry, format);
        }
        format += 1;
    }
}

/// What format `from + 1` calls differently.
fn step(entry: &mut Entry, from: u32) {
    const RENAMED: &[(u32, &str, &str)] = &[
        (1, "amp.volume", "amp.level"),
        (1, "shape.inharmonicity", "shape.stiffness"),
    ];
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
    // Format 1 said "retrigger" for what is now called "note".
    if from == 1
        && entry.key.starts_with("lfo")
        && entry.key.ends_with(".mode")
        && entry.content == Content::Text("retrigger".into())
    {
        entry.content = Content::Text("note".into());
    }
}
