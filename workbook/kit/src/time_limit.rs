//! A time limit for tests.

use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

/// No test takes anywhere near this long on any machine.
const LIMIT: Duration = Duration::from_secs(75);

static LAST_BEGAN: Mutex<Option<Instant>> = Mutex::new(None);

/// Ends the test program if no test has begun for 75 seconds: a test that hangs would hold up all
/// others.
pub fn limit_time() {
    static STARTED: Once = Once::new();
    counts_from(Instant::now());
    STARTED.call_once(|| {
        thread::spawn(|| {
            loop {
                let last_began = *LAST_BEGAN.lock().unwrap_or_else(PoisonError::into_inner);
                let since = last_began.map_or(Duration::ZERO, |began| began.elapsed());
                if since >= LIMIT {
                    eprintln!("error: a test hasn't ended after {LIMIT:?}");
                    process::exit(101);
                }
                thread::sleep(LIMIT.saturating_sub(since));
            }
        });
    });
}

/// Starts the limit at a given moment, which may lie in the future: cargo may need any amount of
/// time to compile a test's programs.
pub(crate) fn counts_from(moment: Instant) {
    *LAST_BEGAN.lock().unwrap_or_else(PoisonError::into_inner) = Some(moment);
}
