//! Text in columns.

/// Rows under headings, every column as wide as its widest entry.
pub(super) fn aligned<const N: usize>(headings: &[&str; N], rows: &[[String; N]]) -> String {
    let headings = headings.map(str::to_owned);
    let lines = || std::iter::once(&headings).chain(rows);
    let widths: [usize; N] = std::array::from_fn(|column| {
        lines()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    });
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [
            ["a".to_owned(), "b".to_owned()],
            ["long".to_owned(), "ü".to_owned()],
        ];
        assert_eq!(aligned(&["X", "YY"], &rows), "X     YY\na     b\nlong  ü\n");
    }
}
