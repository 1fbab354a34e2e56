//! The report as plain tables.

use coldframe::bench::Report;

use super::{digits, other_ends, remarks, short, size, time};

/// The whole report.
pub(super) fn text(report: &Report) -> String {
    let machine = &report.machine;
    let mut text = format!(
        "this machine: {} of fuel a second; a Python operation takes {} of fuel, {} ns\n\n",
        short(machine.fuel_per_second),
        digits(machine.fuel_per_operation),
        digits(machine.nanoseconds_per_operation)
    );
    let mut rows = vec![
        [
            "program",
            "limit",
            "runs",
            "fuel",
            "operations",
            "time",
            "p95",
            "memory",
            "p95",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for snippet in &report.snippets {
        for row in &snippet.rows {
            let limit = short(row.limit as f64);
            if let Some(f) = &row.figures {
                rows.push(vec![
                    snippet.name.clone(),
                    limit.clone(),
                    f.runs.to_string(),
                    if f.fuel.is_identical() {
                        f.fuel.most.to_string()
                    } else {
                        format!("{}..{}", f.fuel.least, f.fuel.most)
                    },
                    f.operations.to_string(),
                    time(f.seconds.median),
                    time(f.seconds.p95),
                    size(f.memory.median),
                    size(f.memory.p95),
                ]);
            }
            for (end, how) in row.others.iter().zip(other_ends(row)) {
                rows.push(vec![
                    snippet.name.clone(),
                    limit.clone(),
                    end.runs.to_string(),
                    how,
                ]);
            }
        }
    }
    text += &aligned(&rows);
    text.push('\n');
    for remark in remarks(report) {
        text += &remark;
        text.push('\n');
    }
    text
}

/// Columns as wide as they must be: the first to the left, the others to the right. A row that has fewer ends with a text of any width.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let full = rows
            .iter()
            .filter(|row| row.len() == columns || column + 1 < row.len());
        let widths = full
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (n, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if n > 0 {
                line.push_str("  ");
            }
            if n == 0 || (n + 1 == row.len() && row.len() < columns) {
                line.push_str(&format!("{cell:<width$}"));
            } else {
                line.push_str(&format!("{cell:>width$}"));
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_a_long_end_does_not_widen_them() {
        let rows = [
            vec!["name", "limit", "fuel"],
            vec!["a", "10M", "7"],
            vec!["longer", "a long story of an end"],
        ]
        .map(|row| row.into_iter().map(str::to_owned).collect());
        assert_eq!(
            aligned(&rows),
            "name    limit  fuel\na         10M     7\nlonger  a long story of an end\n"
        );
    }
}
