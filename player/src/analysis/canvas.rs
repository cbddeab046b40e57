//! A raster image with boxes and text.

use super::colour::{Rgb, blend};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

#[derive(Clone, Copy)]
pub enum Size {
    Small,
    Large,
}

impl Size {
    fn raster(self) -> RasterHeight {
        match self {
            Size::Small => RasterHeight::Size16,
            Size::Large => RasterHeight::Size24,
        }
    }

    pub fn height(self) -> usize {
        self.raster().val()
    }

    pub fn width_of(self, text: &str) -> usize {
        get_raster_width(FontWeight::Regular, self.raster()) * text.chars().count()
    }
}

/// Which point of a text is given.
#[derive(Clone, Copy)]
pub enum Align {
    Left,
    Centre,
    Right,
}

/// Rows of pixels from the top left. Drawing outside is ignored.
pub struct Canvas {
    pub width: usize,
    pub height: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    pub fn new(width: usize, height: usize, background: Rgb) -> Self {
        Self { width, height, pixels: vec![background; width * height] }
    }

    /// Paints a pixel, `opacity` from 0 to 1.
    pub fn dot(&mut self, x: usize, y: usize, colour: Rgb, opacity: f32) {
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            *pixel = if opacity >= 1.0 { colour } else { blend(*pixel, colour, opacity) };
        }
    }

    /// Paints a box from its top left corner.
    pub fn fill(
        &mut self,
        [x, y]: [usize; 2],
        [width, height]: [usize; 2],
        colour: Rgb,
        opacity: f32,
    ) {
        for y in y..y + height {
            for x in x..x + width {
                self.dot(x, y, colour, opacity);
            }
        }
    }

    /// Draws a line of text whose top is at `y`. Characters that the font lacks become `?`.
    pub fn text(&mut self, [x, y]: [usize; 2], align: Align, size: Size, colour: Rgb, text: &str) {
        let width = size.width_of(text);
        let mut x = match align {
            Align::Left => x,
            Align::Centre => x.saturating_sub(width / 2),
            Align::Right => x.saturating_sub(width),
        };
        for letter in text.chars() {
            let glyph = get_raster(letter, FontWeight::Regular, size.raster())
                .or_else(|| get_raster('?', FontWeight::Regular, size.raster()));
            let Some(glyph) = glyph else { continue };
            for (row, line) in glyph.rows().enumerate() {
                for (column, &ink) in line.iter().enumerate().filter(|(_, ink)| **ink > 0) {
                    self.dot(x + column, y + row, colour, f32::from(ink) / 255.0);
                }
            }
            x += glyph.width();
        }
    }

    /// Red, green and blue of all pixels.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }
}
