//! What a project remembers of the editor: its page and its size.

use myriad_editor::Editor;
use serde::{Deserialize, Serialize};

/// The largest side of a window, and how far it can be enlarged.
const MAX_SIDE: f32 = 8_192.0;
const MAX_ZOOM: f32 = 4.0;

/// How the editor looked when it was last seen.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(super) struct Memory {
    pub(super) page: String,
    /// In points.
    pub(super) size: [f32; 2],
    /// Pixels a point, beyond what the system asks for.
    pub(super) zoom: f32,
}

impl Default for Memory {
    fn default() -> Self {
        Self { page: String::new(), size: Editor::SIZE, zoom: 1.0 }
    }
}

impl Memory {
    /// Reads what was written; what makes no sense is as if it had never been written.
    pub(super) fn read(text: &str) -> Self {
        let mut memory: Self = serde_json::from_str(text).unwrap_or_default();
        for (side, least) in memory.size.iter_mut().zip(Editor::MIN_SIZE) {
            *side = side.clamp(least, MAX_SIDE);
        }
        memory.zoom = memory.zoom.clamp(1.0 / MAX_ZOOM, MAX_ZOOM);
        memory
    }

    pub(super) fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nonsense_is_mended() {
        let memory = Memory { page: "Matrix".into(), size: [1_400.0, 900.0], zoom: 1.5 };
        assert_eq!(Memory::read(&memory.write()), memory);
        for nonsense in ["", "{", "[]", r#"{"size":[1,2,3]}"#] {
            assert_eq!(Memory::read(nonsense), Memory::default(), "{nonsense}");
        }
        let absurd = Memory::read(r#"{"size":[1e30,-5],"zoom":0}"#);
        assert_eq!(absurd.size, [MAX_SIDE, Editor::MIN_SIZE[1]]);
        assert_eq!(absurd.zoom, 0.25);
    }
}
