//! Median and 95th percentile of some figures.

use serde::Serialize;

/// Where the middle of some figures lies, and where the upper end of the usual.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The 95th percentile by nearest rank: the largest of fewer than twenty figures.
    pub p95: f64,
}

impl Spread {
    /// Of some figures; nothing of none.
    pub(super) fn of(figures: impl Iterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = figures.collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let rank = (sorted.len() * 95).div_ceil(100).saturating_sub(1);
        Some(Spread {
            median: f64::midpoint(sorted[last / 2], sorted[sorted.len() / 2]),
            p95: sorted[rank],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middle_and_upper_end() {
        let of = |figures: &[f64]| Spread::of(figures.iter().copied()).map(|s| (s.median, s.p95));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3.0]), Some((3.0, 3.0)));
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0]), Some((2.5, 4.0)));
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(of(&hundred), Some((50.5, 95.0)));
    }
}
