//! Draws what egui asks for without a GPU: triangles, textures, blending.

use egui::epaint::{ClippedPrimitive, ImageData, Mesh, Primitive, Vertex};
use egui::{Color32, ColorImage, Pos2, TextureId, TexturesDelta};
use std::collections::HashMap;

/// A picture, and the textures it is drawn with.
pub(crate) struct Raster {
    pub(crate) size: [usize; 2],
    pub(crate) pixels: Vec<[f32; 4]>,
    textures: HashMap<TextureId, ColorImage>,
}

impl Raster {
    pub(crate) fn new(size: [usize; 2]) -> Self {
        Self {
            size,
            pixels: vec![[0.0, 0.0, 0.0, 1.0]; size[0] * size[1]],
            textures: HashMap::new(),
        }
    }

    /// Takes over textures that are new or have changed.
    pub(crate) fn update(&mut self, mut delta: TexturesDelta) {
        let changes = delta.set.iter();
        for (id, change) in changes.flat_map(|(id, all)| all.iter().map(move |one| (id, one))) {
            let ImageData::Color(image) = &change.image;
            match change.pos {
                None => {
                    self.textures.insert(*id, ColorImage::clone(image));
                }
                Some([left, top]) => {
                    let Some(texture) = self.textures.get_mut(id) else {
                        continue;
                    };
                    for y in 0..image.size[1] {
                        for x in 0..image.size[0] {
                            texture[(left + x, top + y)] = image[(x, y)];
                        }
                    }
                }
            }
        }
        delta.clear();
    }

    /// Draws a frame over everything.
    pub(crate) fn draw(&mut self, primitives: &[ClippedPrimitive], pixels_per_point: f32) {
        self.pixels.fill([0.0, 0.0, 0.0, 1.0]);
        for ClippedPrimitive { clip_rect, primitive } in primitives {
            let Primitive::Mesh(mesh) = primitive else {
                continue;
            };
            let edge = |x: f32, most: usize| (x * pixels_per_point).round().clamp(0.0, most as f32);
            let clip = [
                edge(clip_rect.min.x, self.size[0]),
                edge(clip_rect.min.y, self.size[1]),
                edge(clip_rect.max.x, self.size[0]),
                edge(clip_rect.max.y, self.size[1]),
            ];
            self.mesh(mesh, clip.map(|edge| edge as usize), pixels_per_point);
        }
    }

    fn mesh(&mut self, mesh: &Mesh, clip: [usize; 4], scale: f32) {
        let Some(texture) = self.textures.get(&mesh.texture_id) else {
            return;
        };
        for corner in mesh.indices.chunks_exact(3) {
            let corners = [0, 1, 2].map(|i| mesh.vertices[corner[i] as usize]);
            triangle(&mut self.pixels, self.size[0], texture, corners, clip, scale);
        }
    }

    /// As bytes of red, green and blue.
    pub(crate) fn rgb(&self) -> Vec<u8> {
        let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
        self.pixels
            .iter()
            .flat_map(|pixel| [byte(pixel[0]), byte(pixel[1]), byte(pixel[2])])
            .collect()
    }
}

fn triangle(
    pixels: &mut [[f32; 4]],
    width: usize,
    texture: &ColorImage,
    mut corners: [Vertex; 3],
    clip: [usize; 4],
    scale: f32,
) {
    let side = |a: Pos2, b: Pos2, p: Pos2| (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    for corner in &mut corners {
        corner.pos = (corner.pos.to_vec2() * scale).to_pos2();
    }
    let mut area = side(corners[0].pos, corners[1].pos, corners[2].pos);
    if area < 0.0 {
        corners.swap(1, 2);
        area = -area;
    }
    if area < 1e-9 {
        return;
    }
    let points = corners.map(|corner| corner.pos);
    let colours = corners.map(|corner| corner.color.to_array().map(f32::from));
    let least = |get: fn(Pos2) -> f32| points.map(get).into_iter().fold(f32::MAX, f32::min);
    let most = |get: fn(Pos2) -> f32| points.map(get).into_iter().fold(f32::MIN, f32::max);
    let left = (least(|p| p.x).floor().max(0.0) as usize).max(clip[0]);
    let right = (most(|p| p.x).ceil().max(0.0) as usize).min(clip[2]);
    let top = (least(|p| p.y).floor().max(0.0) as usize).max(clip[1]);
    let bottom = (most(|p| p.y).ceil().max(0.0) as usize).min(clip[3]);
    for y in top..bottom {
        for x in left..right {
            let at = Pos2::new(x as f32 + 0.5, y as f32 + 0.5);
            let mut weights = [0.0; 3];
            let mut inside = true;
            for i in 0..3 {
                let (a, b) = (points[(i + 1) % 3], points[(i + 2) % 3]);
                let distance = side(a, b, at);
                // A pixel on an edge belongs to one of the two triangles that share it.
                let ours = a.y > b.y || (a.y == b.y && a.x < b.x);
                inside &= distance > 0.0 || (distance == 0.0 && ours);
                weights[i] = distance / area;
            }
            if !inside {
                continue;
            }
            let mix = |get: &dyn Fn(usize) -> f32| (0..3).map(|i| weights[i] * get(i)).sum::<f32>();
            let texel = sample(texture, mix(&|i| corners[i].uv.x), mix(&|i| corners[i].uv.y));
            let colour: [f32; 4] =
                std::array::from_fn(|c| mix(&|i| colours[i][c]) / 255.0 * texel[c]);
            let pixel = &mut pixels[y * width + x];
            for c in 0..4 {
                pixel[c] = (colour[c] + pixel[c] * (1.0 - colour[3])).min(1.0);
            }
        }
    }
}

/// The texture between its four nearest pixels.
fn sample(texture: &ColorImage, u: f32, v: f32) -> [f32; 4] {
    let place = |at: f32, size: usize| (at * size as f32 - 0.5).clamp(0.0, size as f32 - 1.0);
    let (x, y) = (place(u, texture.size[0]), place(v, texture.size[1]));
    let (left, top) = (x as usize, y as usize);
    let (fx, fy) = (x - left as f32, y - top as f32);
    let read = |dx: usize, dy: usize| -> [f32; 4] {
        let x = (left + dx).min(texture.size[0] - 1);
        let y = (top + dy).min(texture.size[1] - 1);
        let colour: Color32 = texture[(x, y)];
        colour.to_array().map(|c| f32::from(c) / 255.0)
    };
    let [a, b, c, d] = [read(0, 0), read(1, 0), read(0, 1), read(1, 1)];
    std::array::from_fn(|i| {
        let upper = a[i] + (b[i] - a[i]) * fx;
        let lower = c[i] + (d[i] - c[i]) * fx;
        upper + (lower - upper) * fy
    })
}
