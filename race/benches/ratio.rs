//! A measure for two that run in turn: how many times as long the one took as the other.
//!
//! A machine is faster in one minute than in the next. Two that are measured one after the other
//! differ by that alone; two that take turns do not.

use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{Bencher, Criterion, Throughput};

/// criterion's measure of a ratio. Nothing is timed by criterion itself: see [`in_turn`].
pub(crate) struct Ratio;

/// Runs both once a round, and hands criterion the ratio of each round.
pub(crate) fn in_turn(
    bencher: &mut Bencher<'_, Ratio>,
    mut one: impl FnMut() -> Duration,
    mut other: impl FnMut() -> Duration,
) {
    bencher.iter_custom(|rounds| (0..rounds).map(|_| one().div_duration_f64(other())).sum());
}

/// Few rounds, for each is long.
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
