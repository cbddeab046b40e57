//! Drawing bars by a drag across their columns.

use egui::{PointerButton, Pos2, Rect, Response, Ui};

/// What a drag has done since the last frame.
pub(crate) struct Stroke {
    /// Whether it has begun just now.
    pub(crate) begins: bool,
    /// Whether it is drawn with the right button, which sets bars back.
    pub(crate) resets: bool,
    /// The columns that it crossed, each with the height of the pointer there, 0 at the bottom to 1.
    pub(crate) crossed: Vec<(usize, f32)>,
}

/// The drag on a canvas with so many columns; none while no button is down. `last` is where the pointer was in the last
/// frame. The gesture ends by itself when the button is released.
///
/// A fast drag in a slow window may begin and end between two frames, so it goes from where the button was pressed to
/// where it was released.
pub(crate) fn stroke(
    ui: &Ui,
    response: &Response,
    plot: Rect,
    columns: usize,
    last: &mut Option<Pos2>,
) -> Option<Stroke> {
    let (pressed_at, [draws, resets]) = ui.input(|input| {
        let pointer = &input.pointer;
        let in_use = |button| pointer.button_down(button) || pointer.button_released(button);
        (pointer.press_origin(), [PointerButton::Primary, PointerButton::Secondary].map(in_use))
    });
    let down = response.is_pointer_button_down_on();
    let released = response.drag_stopped() || response.clicked() || response.secondary_clicked();
    let is_drawn = (draws || resets) && (down || released);
    let Some(to) = response.interact_pointer_pos().filter(|_| is_drawn) else {
        *last = None;
        return None;
    };
    let begins = last.is_none();
    let from = last.or(pressed_at).unwrap_or(to);
    *last = down.then_some(to);
    Some(Stroke { begins, resets, crossed: crossed(plot, columns, from, to) })
}

/// The column at a place.
pub(crate) fn column(plot: Rect, columns: usize, at: Pos2) -> usize {
    let x = ((at.x - plot.left()) / plot.width()).clamp(0.0, 1.0);
    ((x * columns as f32) as usize).min(columns.saturating_sub(1))
}

/// The columns between two places of the pointer, and how high it was in each.
fn crossed(plot: Rect, columns: usize, from: Pos2, to: Pos2) -> Vec<(usize, f32)> {
    let [first, last] = [from, to].map(|at| column(plot, columns, at));
    let height = |y: f32| ((plot.bottom() - y) / plot.height()).clamp(0.0, 1.0);
    let at = |index: usize| {
        let part = match first == last {
            true => 1.0,
            false => (index as f32 - first as f32) / (last as f32 - first as f32),
        };
        (index, height(from.y + (to.y - from.y) * part))
    };
    (first.min(last)..=first.max(last)).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn a_fast_drag_leaves_no_column_out() {
        let plot = Rect::from_min_max(pos2(10.0, 0.0), pos2(110.0, 50.0));
        let right = crossed(plot, 10, pos2(15.0, 50.0), pos2(105.0, 5.0));
        assert_eq!(right.len(), 10);
        assert_eq!(right[0], (0, 0.0));
        assert!((right[9].1 - 0.9).abs() < 1e-6);
        let mut left = crossed(plot, 10, pos2(105.0, 5.0), pos2(15.0, 50.0));
        left.sort_by_key(|(index, _)| *index);
        for (a, b) in left.iter().zip(&right) {
            assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-5, "{a:?} {b:?}");
        }
        assert_eq!(crossed(plot, 10, pos2(-50.0, 25.0), pos2(-50.0, 99.0)), [(0, 0.0)]);
        assert_eq!(column(plot, 10, pos2(900.0, 0.0)), 9);
    }
}
