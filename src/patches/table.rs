//! Text in columns.

/// Rows under headings, every column as wide as its widest entry. Lines longer than `width` end in an
/// ellipsis.
pub(super) fn aligned<const N: usize>(
    headings: &[&str; N],
    rows: &[[String; N]],
    width: Option<usize>,
) -> String {
    let headings = headings.map(str::to_owned);
    let all: Vec<&[String; N]> = std::iter::once(&headings).chain(rows).collect();
    let text = lines(&all, "");
    match width {
        Some(width) => text.lines().map(|line| shortened(line, width) + "\n").collect(),
        None => text,
    }
}

fn shortened(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    match kept.strip_suffix(' ') {
        // The cut is between columns.
        Some(kept) => kept.trim_end().to_owned(),
        None => kept + "…",
    }
}

/// Rows without headings, indented.
pub(super) fn indented<const N: usize>(rows: &[[String; N]]) -> String {
    lines(&rows.iter().collect::<Vec<_>>(), "  ")
}

fn lines<const N: usize>(rows: &[&[String; N]], margin: &str) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |row: &&[String; N]| {
        let cells = row.iter().zip(widths);
        let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{margin}{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["a", "b"], ["long", "ü"]].map(|row| row.map(str::to_owned));
        assert_eq!(aligned(&["X", "YY"], &rows, None), "X     YY\na     b\nlong  ü\n");
        let narrow = aligned(&["X", "YY"], &rows, Some(7));
        assert_eq!(narrow, "X\na     b\nlong  ü\n");
        assert_eq!(indented(&rows), "  a     b\n  long  ü\n");
    }
}
