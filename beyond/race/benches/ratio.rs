//! A measure for two functions that take turns: the ratio of their times.
//!
//! A machine can be faster in one minute than in the next. That alone makes a difference between
//! two functions that are measured one after the other, but not if they take turns.

use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{Bencher, Criterion, Throughput};

/// criterion's measure of a ratio. criterion itself times nothing: see [`in_turn`].
pub(crate) struct Ratio;

/// Runs both functions once per round, and passes the ratio of each round to criterion.
pub(crate) fn in_turn(
    bencher: &mut Bencher<'_, Ratio>,
    mut one: impl FnMut() -> Duration,
    mut other: impl FnMut() -> Duration,
) {
    bencher.iter_custom(|rounds| (0..rounds).map(|_| one().div_duration_f64(other())).sum());
}

/// Returns settings for few rounds, because each takes long.
pub(crate) fn settings() -> Criterion<Ratio> {
    Criterion::default()
        .with_measurement(Ratio)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_millis(1))
        .sample_size(15)
}

impl Measurement for Ratio {
    type Intermediate = ();
    type Value = f64;

    fn start(&self) {}

    fn end(&self, (): ()) -> f64 {
        f64::NAN
    }

    fn add(&self, one: &f64, other: &f64) -> f64 {
        one + other
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Times
    }
}

/// Writes a ratio as "times".
struct Times;

impl ValueFormatter for Times {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "times"
    }

    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "times"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "times"
    }
}
