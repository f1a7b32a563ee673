//! Measures an operation that never sleeps, and keeps the medians.

use std::collections::HashMap;
use std::time::Duration;

use crate::measuring::{nanos_since, per_operation, processor_time};
use crate::rounds::Quartiles;

/// The median nanoseconds of processor time of each case. On an idle machine they equal the elapsed
/// time; on a busy one they leave out the time that other programs use.
pub(crate) struct Estimates {
    samples: usize,
    each: Duration,
    medians: HashMap<(&'static str, &'static str, String), f64>,
}

impl Estimates {
    /// Makes an empty collection. Each case will have this number of `samples`, which take at least
    /// about `each`.
    pub(crate) fn new(samples: usize, each: Duration) -> Self {
        Estimates { samples, each, medians: HashMap::new() }
    }

    /// Measures a case.
    pub(crate) fn measure(
        &mut self,
        group: &'static str,
        function: &'static str,
        value: impl ToString,
        mut operation: impl FnMut(),
    ) {
        let mut sample = |count: u64| {
            let began = processor_time();
            for _ in 0..count {
                operation();
            }
            nanos_since(began)
        };
        // This also warms up the caches.
        let mut count = 1;
        while u128::from(sample(count)) < self.each.as_nanos() {
            count *= 2;
        }
        let samples = (0..self.samples).map(|_| per_operation(sample(count), count)).collect();
        self.medians.insert((group, function, value.to_string()), Quartiles::of(samples).median);
    }

    /// Returns the median in nanoseconds, or `None` if that case wasn't measured.
    pub(crate) fn median(
        &self,
        group: &'static str,
        function: &'static str,
        value: impl ToString,
    ) -> Option<f64> {
        self.medians.get(&(group, function, value.to_string())).copied()
    }
}
