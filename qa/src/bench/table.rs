//! Columns of figures, and how figures are written.

/// Rows under headings; words to the left, figures to the right.
pub(super) struct Table {
    /// Columns of words, which come first.
    words: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<S: Into<String>>(
        words: usize,
        headings: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            words,
            rows: vec![headings.into_iter().map(Into::into).collect()],
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, set in.
    pub(super) fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, &width))| match column < self.words {
                true => format!("{cell:<width$}"),
                false => format!("{cell:>width$}"),
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            text += &format!("  {}\n", line.trim_end());
        }
        text
    }
}

/// A whole number with its thousands apart.
pub(super) fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of partials as people say it: 210,000 or 51.3 million.
pub(super) fn partials(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.1} million", v / 1e6),
        // Three digits are all that is sure.
        v if v >= 1e4 => whole((v / 1e3).round() * 1e3),
        v => whole(v),
    }
}

/// A share in per cent, with as many digits as it deserves.
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p < 9.95 => format!("{p:.1}%"),
        p => format!("{}%", whole(p)),
    }
}

/// Microseconds.
pub(super) fn micros(value: f64) -> String {
    match value {
        v if v < 99.95 => format!("{v:.1}"),
        v => whole(v),
    }
}

/// Bytes in a unit that fits.
pub(super) fn bytes(count: usize) -> String {
    const KIB: f64 = 1024.0;
    match count as f64 {
        b if b < KIB => format!("{b:.0} B"),
        b if b < KIB * KIB => format!("{:.1} KiB", b / KIB),
        b => format!("{:.0} MiB", b / KIB / KIB),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(whole(1_234_567.0), "1,234,567");
        assert_eq!(whole(123.4), "123");
        assert_eq!(partials(51_300_000.0), "51.3 million");
        assert_eq!(partials(207_400.0), "207,000");
        assert_eq!(percent(0.0123), "1.2%");
        assert_eq!(percent(12.5), "1,250%");
        assert_eq!(bytes(2_048), "2.0 KiB");
    }

    #[test]
    fn figures_stand_under_each_other() {
        let mut table = Table::new(1, ["who", "µs"]);
        table.row(["a".to_owned(), "1.0".to_owned()]);
        table.row(["bcde".to_owned(), "100".to_owned()]);
        assert_eq!(table.text(), "  who    µs\n  a     1.0\n  bcde  100\n");
    }
}
