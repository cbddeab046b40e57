//! Collects the pixels of a picture of any size into a grid of bounded size.

use super::colour::Colours;

/// The largest grid.
const MOST_COLUMNS: usize = 1_024;
const MOST_ROWS: usize = 4_096;

/// The grid while a picture is read; pixels may come in any order.
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    colours: Colours,
    grid: Grid,
}

/// Powers of left and right.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Rows of the picture in a row of the grid; the last one may have fewer.
    pub(super) merged: usize,
    /// Row after row, from the top.
    pub(super) powers: Vec<[f32; 2]>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize, ink: bool) -> Self {
        let columns = width.min(MOST_COLUMNS);
        let merged = height.div_ceil(MOST_ROWS).max(1);
        let rows = height.div_ceil(merged);
        let powers = vec![[0.0; 2]; columns * rows];
        let grid = Grid { columns, rows, merged, powers };
        Self { width, height, colours: Colours::new(ink), grid }
    }

    /// Adds a pixel: red, green, blue and alpha.
    #[inline]
    pub(super) fn put(&mut self, x: usize, y: usize, pixel: [u16; 4]) {
        let [left, right] = self.colours.powers(pixel);
        let column = x * self.grid.columns / self.width;
        let cell = y / self.grid.merged * self.grid.columns + column;
        let [left_sum, right_sum] = &mut self.grid.powers[cell];
        *left_sum += left;
        *right_sum += right;
    }

    /// The grid: over time powers are averaged, and over pitch they add up as those of partials do.
    pub(super) fn finish(mut self) -> Grid {
        let Grid { columns, .. } = self.grid;
        // Pixels from the first column of a cell to the first of the next.
        let first = |column: usize| (column * self.width).div_ceil(columns);
        let widths: Vec<f32> =
            (0..columns).map(|column| (first(column + 1) - first(column)) as f32).collect();
        for row in self.grid.powers.chunks_exact_mut(columns) {
            for (cell, width) in row.iter_mut().zip(&widths) {
                *cell = cell.map(|power| power / width);
            }
        }
        self.grid
    }
}

impl Grid {
    /// The cells of a row.
    pub(super) fn row(&self, row: usize) -> &[[f32; 2]] {
        &self.powers[row * self.columns..(row + 1) * self.columns]
    }

    /// The powers of some rows together, averaged to `count` columns.
    pub(super) fn resampled(&self, rows: std::ops::Range<usize>, count: usize) -> Vec<[f64; 2]> {
        let mut sums = vec![[0.0; 2]; self.columns];
        for row in rows {
            for (sum, cell) in sums.iter_mut().zip(self.row(row)) {
                *sum = [0, 1].map(|side| sum[side] + f64::from(cell[side]));
            }
        }
        if count >= self.columns {
            // A picture of one column is a steady sound.
            let last = self.columns - 1;
            return (0..count).map(|column| sums[column.min(last)]).collect();
        }
        let step = self.columns as f64 / count as f64;
        let average = |column: usize| {
            let (from, to) = (column as f64 * step, (column + 1) as f64 * step);
            let mut sum = [0.0; 2];
            let end = (to.ceil() as usize).min(self.columns);
            for (index, cell) in sums.iter().enumerate().take(end).skip(from as usize) {
                let inside = (to.min(index as f64 + 1.0) - from.max(index as f64)).max(0.0);
                sum = [0, 1].map(|side| sum[side] + cell[side] * inside / step);
            }
            sum
        };
        (0..count).map(average).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: [u16; 4] = [u16::MAX; 4];

    /// An even picture of any size is even, also where pixels and cells do not coincide.
    #[test]
    fn an_even_picture_stays_even() {
        for (width, height) in [(1, 1), (1_000, 3), (1_025, 2), (5_001, 7), (3, 4_097), (2, 9_000)]
        {
            let mut canvas = Canvas::new(width, height, false);
            for y in 0..height {
                (0..width).for_each(|x| canvas.put(x, y, WHITE));
            }
            let grid = canvas.finish();
            assert!(grid.columns <= MOST_COLUMNS && grid.rows <= MOST_ROWS);
            let whole = 0.5 * grid.merged as f32;
            for row in 0..grid.rows - 1 {
                let near = |cell: &[f32; 2]| cell.iter().all(|x| (x - whole).abs() < 1e-3);
                assert!(grid.row(row).iter().all(near), "{width} × {height}, row {row}");
            }
            for count in [2, 3, 155, 511] {
                let fewer = grid.resampled(0..1, count);
                assert_eq!(fewer.len(), count);
                let even = fewer.iter().all(|[left, _]| (left - f64::from(whole)).abs() < 1e-3);
                assert!(even || grid.rows == 1, "{width} × {height}, {count} columns");
            }
        }
    }
}
