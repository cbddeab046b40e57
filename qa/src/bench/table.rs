//! Tables as text or Markdown, and how numbers are written in them.

/// Rows under headings. Columns of words come first and are left-aligned; numbers are right-aligned.
pub(super) struct Table {
    title: String,
    words: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table whose first `words` columns are words; `|` separates its headings.
    pub(super) fn new(title: impl Into<String>, words: usize, headings: &str) -> Self {
        let headings = headings.split('|').map(str::to_owned).collect();
        Self { title: title.into(), words, rows: vec![headings] }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// An empty line, the title if there is one, and the indented rows.
    pub(super) fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = match self.title.as_str() {
            "" => String::new(),
            title => format!("\n{title}\n"),
        };
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

    /// A table in Markdown, without its title, and an empty line.
    pub(super) fn markdown(&self) -> String {
        let rule = (0..self.rows[0].len()).map(|column| match column < self.words {
            true => "---".to_owned(),
            false => "---:".to_owned(),
        });
        let mut rows = self.rows.clone();
        rows.insert(1, rule.collect());
        let lines = rows.iter().map(|row| format!("| {} |\n", row.join(" | ")));
        lines.collect::<String>() + "\n"
    }
}

/// Each value once, in the order of first appearance.
pub(super) fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// A whole number with commas between thousands.
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

/// A number of partials: 210,000 or 51.3 million.
pub(super) fn partials(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.1} million", v / 1e6),
        // Only three digits are certain.
        v if v >= 1e4 => whole((v / 1e3).round() * 1e3),
        v => whole(v),
    }
}

/// A share in per cent.
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
    fn numbers_are_readable() {
        assert_eq!(whole(1_234_567.0), "1,234,567");
        assert_eq!(whole(123.4), "123");
        assert_eq!(partials(51_300_000.0), "51.3 million");
        assert_eq!(partials(207_400.0), "207,000");
        assert_eq!(percent(0.0123), "1.2%");
        assert_eq!(percent(12.5), "1,250%");
        assert_eq!(bytes(2_048), "2.0 KiB");
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new("", 1, "who|µs");
        table.row(["a".to_owned(), "1.0".to_owned()]);
        table.row(["bcde".to_owned(), "100".to_owned()]);
        assert_eq!(table.text(), "  who    µs\n  a     1.0\n  bcde  100\n");
        let markdown = "| who | µs |\n| --- | ---: |\n| a | 1.0 |\n| bcde | 100 |\n\n";
        assert_eq!(table.markdown(), markdown);
    }
}
