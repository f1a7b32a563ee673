//! Contestants that take turns, and their figures.
//!
//! A machine can be faster in one minute than in the next. So all contestants run once in each
//! round, and we divide each contestant's time by the time that one of them, the reference, takes
//! in the same round. Of these ratios, we report the median and the quartiles, which enclose half
//! of the rounds.

use std::fmt::Write;

use anyhow::{Context, Result};

/// A contestant: its name, and a function that does the work once and returns the nanoseconds per
/// operation.
pub(crate) struct Contestant<'a> {
    /// The contestant's name, as shown in the tables.
    pub(crate) name: &'static str,
    /// The function that does the work.
    pub(crate) run: Box<dyn FnMut() -> Result<f64> + 'a>,
}

/// One contestant's figures.
#[derive(Debug)]
pub(crate) struct Figures {
    /// The contestant's name.
    pub(crate) name: &'static str,
    /// The nanoseconds per operation.
    pub(crate) nanos: Quartiles,
    /// The nanoseconds divided by the reference's nanoseconds in the same round.
    pub(crate) ratio: Quartiles,
}

/// The median and the quartiles of some figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Quartiles {
    /// The lower quartile: a quarter of the figures are below it.
    pub(crate) lower: f64,
    /// The median.
    pub(crate) median: f64,
    /// The upper quartile: a quarter of the figures are above it.
    pub(crate) upper: f64,
}

impl Quartiles {
    /// Returns the quartiles of `figures`, which mustn't be empty.
    pub(crate) fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        // Interpolate if the quartile falls between two figures.
        let at = |quarters: usize| {
            let (place, rest) =
                ((figures.len() - 1) * quarters / 4, (figures.len() - 1) * quarters % 4);
            let next = figures[(place + 1).min(figures.len() - 1)];
            figures[place] + (next - figures[place]) * [0.0, 0.25, 0.5, 0.75][rest]
        };
        Quartiles { lower: at(1), median: at(2), upper: at(3) }
    }
}

/// Runs all contestants once per round, each time starting with the next contestant. Returns their
/// figures, which compare each contestant with the contestant that `reference` names. An extra
/// round at the start is a warm-up that doesn't count.
pub(crate) fn compete(
    rounds: usize,
    reference: &str,
    contestants: &mut [Contestant<'_>],
) -> Result<Vec<Figures>> {
    let mut nanos = vec![Vec::new(); contestants.len()];
    for round in 0..=rounds {
        for turn in 0..contestants.len() {
            let place = (round + turn) % contestants.len();
            let Contestant { name, run } = &mut contestants[place];
            let each = run().with_context(|| format!("round {round} of {name}"))?;
            if round > 0 {
                nanos[place].push(each);
            }
        }
    }
    let of_reference = contestants.iter().position(|it| it.name == reference);
    let of_reference = nanos[of_reference.context("the reference is a contestant")?].clone();
    let figures = contestants.iter().zip(nanos).map(|(contestant, nanos)| {
        let ratios = nanos.iter().zip(&of_reference).map(|(one, other)| one / other).collect();
        let (nanos, ratio) = (Quartiles::of(nanos), Quartiles::of(ratios));
        Figures { name: contestant.name, nanos, ratio }
    });
    Ok(figures.collect())
}

/// Returns a Markdown table that compares these figures with the reference's.
pub(crate) fn table(reference: &str, figures: &[Figures]) -> String {
    let mut table = format!("| | each | beside {reference} | half of the rounds |\n");
    table += "| --- | ---: | ---: | ---: |\n";
    for Figures { name, nanos, ratio } in figures {
        let each = nanos.median;
        let beside = if *name == reference {
            "| |".to_owned()
        } else {
            let Quartiles { lower, median, upper } = ratio;
            format!("{median:.2} | {lower:.2} to {upper:.2} |")
        };
        let _ = writeln!(table, "| {name} | {each:.0} ns | {beside}");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quartiles([lower, median, upper]: [f64; 3]) -> Quartiles {
        Quartiles { lower, median, upper }
    }

    #[test]
    fn a_quarter_of_the_figures_is_below_and_a_quarter_above() {
        assert_eq!(Quartiles::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]), quartiles([2.0, 3.0, 4.0]));
        assert_eq!(Quartiles::of(vec![1.0, 3.0]), quartiles([1.5, 2.0, 2.5]));
    }

    #[test]
    fn a_ratio_is_that_of_two_times_of_the_same_round() {
        // The machine gets slower each round, and ours always takes twice as long as theirs.
        let rising = |factor: f64| {
            let mut round = 0.0;
            move || {
                round += 1.0;
                Ok(round * factor)
            }
        };
        let mut contestants = [
            Contestant { name: "ours", run: Box::new(rising(2.0)) },
            Contestant { name: "theirs", run: Box::new(rising(1.0)) },
        ];
        let figures = compete(5, "theirs", &mut contestants).unwrap();
        assert_eq!(figures[0].ratio, quartiles([2.0, 2.0, 2.0]));
        // The first round is a warm-up, so these are the figures from 2 to 6, doubled.
        assert_eq!(figures[0].nanos, quartiles([6.0, 8.0, 10.0]));
    }
}
