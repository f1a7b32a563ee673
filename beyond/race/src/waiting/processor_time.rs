//! A measurement for criterion: the thread's processor time.
//!
//! The benchmarks never sleep, so on an idle machine, their processor time equals the elapsed time.
//! On a busy machine, the processor time leaves out the time that other programs use.

use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};

use crate::measuring::processor_time as now;

/// Measures processor time for criterion.
pub(crate) struct ProcessorTime;

impl Measurement for ProcessorTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        now()
    }

    fn end(&self, began: Duration) -> Duration {
        now().saturating_sub(began)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}
