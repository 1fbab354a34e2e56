//! The report as one page: tables, and a plot of time over fuel. It needs nothing from elsewhere and runs no script.

use std::fmt::Write as _;

use coldframe::bench::{Report, SnippetReport};

use super::{digits, other_ends, remarks, short, size, time};

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8886;--dot:#1668c7;--limit:#c0392b;--good:#2e8b57}
@media(prefers-color-scheme:dark){:root{--dot:#6db3ff;--limit:#ff8a7a;--good:#7fd6a0}}
body{font:15px/1.45 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--line)}
th:first-child,td:first-child,td[colspan]{text-align:left}
figure{margin:1.5rem 0}svg{width:100%;height:auto}svg text{font-size:12px;fill:currentColor}
.grid{stroke:var(--line)}.dot{fill:var(--dot)}.bar{stroke:var(--dot);stroke-width:1.5}
.limit{stroke:var(--limit);stroke-dasharray:5 4}.good{stroke:var(--good);stroke-width:1.5}";

/// The whole page.
pub(super) fn html(report: &Report) -> String {
    let mut page = String::new();
    page += "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">";
    page += "<meta name=\"viewport\" content=\"width=device-width\"><title>coldframe bench</title>";
    page += &format!("<style>{STYLE}</style></head><body>\n<h1>coldframe bench</h1>\n");
    page += &format!(
        "<p>coldframe {}, {} runs of each program at each limit.</p>\n<ul>\n",
        report.version, report.runs
    );
    for remark in remarks(report) {
        page += &format!("<li>{}</li>\n", escaped(&remark));
    }
    page += "</ul>\n";
    page += &plot(report);
    page += &programs(report);
    page += &machine(report);
    page += "</body></html>\n";
    page
}

fn programs(report: &Report) -> String {
    let mut text = String::from(
        "<h2>Programs</h2>\n<table><tr><th>program<th>limit<th>runs<th>fuel<th>operations<th>time<th>p95<th>memory<th>p95</tr>\n",
    );
    for snippet in &report.snippets {
        for row in &snippet.rows {
            let head = |runs: usize| {
                format!(
                    "<tr><td>{}<td>{}<td>{runs}",
                    escaped(&snippet.name),
                    short(row.limit as f64)
                )
            };
            if let Some(f) = &row.figures {
                let fuel = if f.fuel.is_identical() {
                    f.fuel.most.to_string()
                } else {
                    format!("{} to {}", f.fuel.least, f.fuel.most)
                };
                text += &format!(
                    "{}<td>{fuel}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
                    head(f.runs),
                    f.operations,
                    time(f.seconds.median),
                    time(f.seconds.p95),
                    size(f.memory.median),
                    size(f.memory.p95)
                );
            }
            for (end, how) in row.others.iter().zip(other_ends(row)) {
                text += &format!(
                    "{}<td colspan=\"6\">{}</tr>\n",
                    head(end.runs),
                    escaped(&how)
                );
            }
        }
    }
    text + "</table>\n"
}

fn machine(report: &Report) -> String {
    let machine = &report.machine;
    let mut text = format!(
        "<h2>This machine</h2>\n<p>{} of fuel a second; a Python operation takes {} of fuel, {} ns.</p>\n\
         <table><tr><th>statement<th>operations<th>fuel for each<th>ns for each<th>fuel a second</tr>\n",
        short(machine.fuel_per_second),
        digits(machine.fuel_per_operation),
        digits(machine.nanoseconds_per_operation)
    );
    for kind in &machine.kinds {
        text += &format!(
            "<tr><td><code>{}</code><td>{}<td>{}<td>{}<td>{}</tr>\n",
            escaped(kind.statement),
            kind.operations,
            digits(kind.fuel_per_operation),
            digits(kind.nanoseconds_per_operation),
            short(kind.fuel_per_second)
        );
    }
    text + "</table>\n"
}

/// A logarithmic axis of whole decades.
struct Axis {
    /// The exponents at its ends.
    decades: (i32, i32),
    /// Where its ends are on the page.
    ends: (f64, f64),
}

impl Axis {
    /// Around some figures above zero.
    fn around(figures: impl Iterator<Item = f64>, ends: (f64, f64)) -> Axis {
        let exponents = figures.filter(|f| *f > 0.0).map(f64::log10);
        let (low, high) = exponents.fold((f64::MAX, f64::MIN), |(low, high), e| {
            (low.min(e), high.max(e))
        });
        let decades = if low > high {
            (0, 1)
        } else {
            let low = low.floor() as i32;
            (low, (high.ceil() as i32).max(low + 1))
        };
        Axis { decades, ends }
    }

    fn at(&self, figure: f64) -> f64 {
        let (low, high) = (f64::from(self.decades.0), f64::from(self.decades.1));
        let part = (figure.max(f64::MIN_POSITIVE).log10() - low) / (high - low);
        self.ends.0 + part.clamp(0.0, 1.0) * (self.ends.1 - self.ends.0)
    }

    fn ticks(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        (self.decades.0..=self.decades.1)
            .map(|exponent| 10f64.powi(exponent))
            .map(|figure| (figure, self.at(figure)))
    }
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 460.0;

/// Time over fuel of what ended well, with the limits, the budget, and the limit that is suggested for it.
fn plot(report: &Report) -> String {
    let good: Vec<(&SnippetReport, _)> = report
        .snippets
        .iter()
        .filter_map(|s| Some((s, s.figures()?)))
        .collect();
    let suggestion = &report.suggestion;
    let limits = report.snippets.first().map_or(&[][..], |s| &s.rows);
    let fuels = good.iter().map(|(_, f)| f.fuel.most as f64);
    let fuels = fuels.chain(limits.iter().map(|row| row.limit as f64));
    let x = Axis::around(fuels.chain([suggestion.limit as f64]), (70.0, WIDTH - 30.0));
    let times = good
        .iter()
        .flat_map(|(_, f)| [f.seconds.median, f.seconds.p95]);
    let y = Axis::around(
        times.chain([suggestion.budget_seconds]),
        (HEIGHT - 50.0, 30.0),
    );

    let mut svg = format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Time over fuel of each program\">\n"
    );
    let line = |class: &str, from: (f64, f64), to: (f64, f64)| {
        format!(
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n",
            from.0, from.1, to.0, to.1
        )
    };
    let label = |anchor: &str, at: (f64, f64), text: &str| {
        format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
            at.0,
            at.1,
            escaped(text)
        )
    };
    for (fuel, at) in x.ticks() {
        svg += &line("grid", (at, y.ends.0), (at, y.ends.1));
        svg += &label("middle", (at, y.ends.0 + 18.0), &short(fuel));
    }
    for (seconds, at) in y.ticks() {
        svg += &line("grid", (x.ends.0, at), (x.ends.1, at));
        svg += &label("end", (x.ends.0 - 8.0, at + 4.0), &time(seconds));
    }
    svg += &label("end", (x.ends.1, HEIGHT - 12.0), "fuel");
    for row in limits {
        let at = x.at(row.limit as f64);
        svg += &line("limit", (at, y.ends.0), (at, y.ends.1));
    }
    let (limit, budget) = (
        x.at(suggestion.limit as f64),
        y.at(suggestion.budget_seconds),
    );
    svg += &line("good", (limit, y.ends.0), (limit, y.ends.1));
    svg += &line("good", (x.ends.0, budget), (x.ends.1, budget));
    svg += &label("end", (limit - 4.0, y.ends.1 + 12.0), "suggested");
    svg += &label("start", (x.ends.0 + 4.0, budget - 5.0), "budget");
    for (snippet, f) in &good {
        let at = x.at(f.fuel.most as f64);
        let (median, p95) = (y.at(f.seconds.median), y.at(f.seconds.p95));
        svg += &line("bar", (at, median), (at, p95));
        let _ = writeln!(
            svg,
            "<circle class=\"dot\" cx=\"{at:.1}\" cy=\"{median:.1}\" r=\"4\"><title>{}: {} of fuel, {} (p95 {})</title></circle>",
            escaped(&snippet.name),
            f.fuel.most,
            time(f.seconds.median),
            time(f.seconds.p95)
        );
        let name = snippet.name.rsplit('/').next().unwrap_or(&snippet.name);
        svg += &label("start", (at + 7.0, median + 4.0), name);
    }
    svg += "</svg>\n<figcaption>Time over fuel of the programs that ended well: the median, and a line up to the 95th percentile. Dashed: the limits \
            that were measured at; solid: the time budget, and the limit that is suggested for it.</figcaption></figure>\n";
    svg
}

/// Names and messages are the programs' own: nothing in them is markup.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // Not allowed in a page, whatever their form.
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_what_they_are_made_for() {
        let axis = Axis::around([3e5, 2e7, 0.0].into_iter(), (0.0, 300.0));
        assert_eq!(axis.decades, (5, 8));
        assert!((axis.at(1e6) - 100.0).abs() < 1e-9);
        assert_eq!((axis.at(0.0), axis.at(1e30)), (0.0, 300.0));
        assert_eq!(axis.ticks().count(), 4);
        assert_eq!(Axis::around(std::iter::empty(), (0.0, 1.0)).decades, (0, 1));
        assert_eq!(Axis::around([10.0].into_iter(), (0.0, 1.0)).decades, (1, 2));
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(
            escaped("<b a=\"&\">\u{1b}"),
            "&lt;b a=&quot;&amp;&quot;&gt;\u{fffd}"
        );
    }
}
