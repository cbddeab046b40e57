//! The editor's state that a project saves: its page, its view and its size.

use myriad_editor::Editor;
use serde::{Deserialize, Serialize};

/// The largest side of a window, and the largest zoom.
const MAX_SIDE: f32 = 8_192.0;
const MAX_ZOOM: f32 = 4.0;

/// The page, size and zoom of the editor.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(super) struct UiState {
    pub(super) page: String,
    /// What is shown in the middle.
    pub(super) view: String,
    /// In points.
    pub(super) size: [f32; 2],
    /// Pixels a point, relative to the system's scale.
    pub(super) zoom: f32,
}

impl Default for UiState {
    fn default() -> Self {
        Self { page: String::new(), view: String::new(), size: Editor::SIZE, zoom: 1.0 }
    }
}

impl UiState {
    /// Reads the saved text; defaults replace invalid fields.
    pub(super) fn read(text: &str) -> Self {
        let mut ui_state: Self = serde_json::from_str(text).unwrap_or_default();
        for (side, least) in ui_state.size.iter_mut().zip(Editor::MIN_SIZE) {
            *side = side.clamp(least, MAX_SIDE);
        }
        ui_state.zoom = ui_state.zoom.clamp(1.0 / MAX_ZOOM, MAX_ZOOM);
        ui_state
    }

    pub(super) fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_round_trips_and_invalid_text_becomes_defaults() {
        let ui_state = UiState {
            page: "Matrix".into(),
            view: "Scope".into(),
            size: [1_400.0, 900.0],
            zoom: 1.5,
        };
        assert_eq!(UiState::read(&ui_state.write()), ui_state);
        for nonsense in ["", "{", "[]", r#"{"size":[1,2,3]}"#] {
            assert_eq!(UiState::read(nonsense), UiState::default(), "{nonsense}");
        }
        let absurd = UiState::read(r#"{"size":[1e30,-5],"zoom":0}"#);
        assert_eq!(absurd.size, [MAX_SIDE, Editor::MIN_SIZE[1]]);
        assert_eq!(absurd.zoom, 0.25);
    }
}
