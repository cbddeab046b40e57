//! One patch in the browser: name, tags and preview.

use crate::paint;
use crate::theme;
use crate::views::axis::Axes;
use crate::widgets::button;
use egui::epaint::Mesh;
use egui::{Align2, Rect, Shape, Stroke, Ui, pos2, vec2};
use myriad_engine::{Patch, view};
use myriad_library::explore::Section;
use myriad_library::{Entry, Library, MAX_RATING};

/// The spectrum of the preview, from low to high, 0 to 1.
pub(super) type Preview = [f32; 44];

pub(super) fn preview(patch: &Patch) -> Preview {
    let rest = view::at_rest(patch, 48, 48_000.0);
    let mut partials = Vec::new();
    for cloud in &rest.clouds {
        view::partials(cloud, rest.sample_rate, &mut partials);
    }
    let mut heights = [0.0; 44];
    for partial in partials {
        let place = (partial.hertz / 60.0).log2() / 7.6 * heights.len() as f32;
        if let Some(height) = heights.get_mut(place.max(0.0) as usize) {
            *height = Axes::height(partial.level).max(*height);
        }
    }
    heights
}

/// What the user wants of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Load,
    Favourite,
    Rate(u8),
    Rename,
    Duplicate,
    Delete,
    /// To a folder of that name; empty for the folder of all patches.
    MoveTo(String),
    /// To a folder whose name is asked for.
    MoveToNew,
    /// A child of it and the sound that plays.
    Breed,
    /// Only one section of it.
    LoadOnly(Section),
    /// Its first layer as the second layer of the sound that plays.
    LoadIntoLayer,
}

/// A patch to click on; a right click has more.
pub(super) fn card(
    ui: &mut Ui,
    library: &Library,
    entry: &Entry,
    playing: bool,
    preview: Option<&Preview>,
    rect: Rect,
) -> Option<Wish> {
    // Two patches may have one name.
    ui.push_id(entry.id(), |ui| show(ui, library, entry, playing, preview, rect)).inner
}

fn show(
    ui: &mut Ui,
    library: &Library,
    entry: &Entry,
    playing: bool,
    preview: Option<&Preview>,
    rect: Rect,
) -> Option<Wish> {
    let patch = &entry.patch;
    let stars = library.rating(entry);
    let response = button::area(ui, rect, &patch.name, &tip(entry), playing);
    let painter = ui.painter_at(rect);
    let fill = if response.hovered() || playing { theme::RAISED } else { theme::WELL };
    let edge = match playing {
        true => Stroke::new(1.0, theme::AMBER.gamma_multiply(0.8)),
        false => Stroke::new(1.0, theme::EDGE.gamma_multiply(0.6)),
    };
    painter.rect(rect, theme::SMALL_ROUND, fill, edge, egui::StrokeKind::Inside);
    if let Some(preview) = preview {
        let strength = if response.hovered() || playing { 1.0 } else { 0.55 };
        let left = rect.right() - 0.34 * rect.width();
        let place = rect.shrink2(vec2(8.0, 6.0)).with_min_x(left);
        summary(&painter, preview, place, strength);
    }
    let ink = if playing { theme::AMBER } else { theme::TEXT };
    let at = rect.left_top() + vec2(12.0, 14.0);
    painter.text(at, Align2::LEFT_CENTER, &patch.name, theme::bold(12.5), ink);
    let mut about = vec![patch.category.clone()];
    about.extend(patch.tags.iter().take(2).cloned());
    let words = ui.painter_at(rect.with_max_x(rect.right() - 0.36 * rect.width()));
    let at = rect.left_bottom() + vec2(12.0, -13.0);
    let font = theme::regular(10.5);
    words.text(at, Align2::LEFT_CENTER, about.join(" · "), font, theme::MUTED);
    if entry.file.is_some() {
        let at = rect.right_bottom() - vec2(12.0, 13.0);
        let font = theme::regular(10.0);
        painter.text(at, Align2::RIGHT_CENTER, "yours", font, theme::AQUA);
    }
    for star in 0..stars {
        let at = rect.right_top() + vec2(-34.0 - 8.0 * f32::from(star), 15.0);
        painter.circle_filled(at, 2.4, theme::AMBER);
    }
    let liked = library.is_favourite(entry);
    let heart = Rect::from_center_size(rect.right_top() + vec2(-17.0, 15.0), vec2(22.0, 22.0));
    if liked || response.hovered() || ui.rect_contains_pointer(heart) {
        let name = format!("Favourite {}", patch.name);
        let pressed = button::icon(ui, heart, &name, "", |painter, colour| {
            let colour = if liked { theme::ROSE } else { colour };
            paint::heart(painter, heart.center(), 5.0, liked, colour);
        });
        if pressed.clicked() {
            return Some(Wish::Favourite);
        }
    }
    let mut wish = response.clicked().then_some(Wish::Load);
    response.context_menu(|ui| {
        if let Some(chosen) = menu(ui, library, entry, stars) {
            wish = Some(chosen);
            ui.close();
        }
    });
    wish
}

fn tip(entry: &Entry) -> String {
    let patch = &entry.patch;
    let lines = [
        patch.description.clone(),
        match entry.folder.as_str() {
            "" => String::new(),
            folder => format!("in {folder}"),
        },
        match patch.author.as_str() {
            "" => String::new(),
            author => format!("by {author}"),
        },
    ];
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn menu(ui: &mut Ui, library: &Library, entry: &Entry, stars: u8) -> Option<Wish> {
    ui.label(egui::RichText::new(&entry.patch.name).color(theme::MUTED));
    let mut wish = None;
    let mut offer = |ui: &mut Ui, text: &str, asked: Wish| {
        if ui.button(text).clicked() {
            wish = Some(asked);
        }
    };
    if entry.file.is_some() {
        offer(ui, "Rename", Wish::Rename);
    }
    offer(ui, "Duplicate", Wish::Duplicate);
    if entry.file.is_some() {
        offer(ui, "Delete", Wish::Delete);
        ui.menu_button("Move to…", |ui| {
            let others = library.folders().into_iter().filter(|folder| *folder != entry.folder);
            for folder in others {
                offer(ui, folder, Wish::MoveTo(folder.to_owned()));
            }
            if !entry.folder.is_empty() {
                offer(ui, "No folder", Wish::MoveTo(String::new()));
            }
            offer(ui, "New folder", Wish::MoveToNew);
        });
    }
    ui.separator();
    offer(ui, "Breed with current", Wish::Breed);
    ui.menu_button("Load only…", |ui| {
        for section in Section::ALL {
            offer(ui, section.name(), Wish::LoadOnly(section));
        }
        offer(ui, "As layer 2", Wish::LoadIntoLayer);
    });
    ui.separator();
    for count in 1..=MAX_RATING {
        let text = if count == 1 { "1 star".to_owned() } else { format!("{count} stars") };
        if ui.selectable_label(count == stars, text).clicked() {
            // The same again takes them away.
            wish = Some(Wish::Rate(if count == stars { 0 } else { count }));
        }
    }
    wish
}

/// The preview of a patch as a thin line.
fn summary(painter: &egui::Painter, preview: &Preview, rect: Rect, strength: f32) {
    let mut mesh = Mesh::default();
    let step = rect.width() / preview.len() as f32;
    for (index, &height) in preview.iter().enumerate() {
        let x = rect.left() + step * (index as f32 + 0.5);
        let y = rect.bottom() - height * rect.height();
        let colour = theme::dawn(height).gamma_multiply(strength * 0.75);
        let dim = colour.gamma_multiply(0.15);
        let corners = [
            (pos2(x - 0.8, y), colour),
            (pos2(x + 0.8, y), colour),
            (pos2(x + 0.8, rect.bottom()), dim),
            (pos2(x - 0.8, rect.bottom()), dim),
        ];
        paint::quad(&mut mesh, corners);
    }
    painter.add(Shape::mesh(mesh));
}
