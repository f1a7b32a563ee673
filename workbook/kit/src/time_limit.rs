//! A time limit for tests.

use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

/// The time limit. Even on a slow machine, each test takes far less time.
const LIMIT: Duration = Duration::from_secs(75);

static LAST_BEGAN: Mutex<Option<Instant>> = Mutex::new(None);

/// Ends the test program with an error if no test has begun for 75 seconds. Otherwise, a test that
/// hangs would hold up all other tests.
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

/// Restarts the time limit at a given moment. The moment can be in the future, because cargo may
/// need minutes to compile a test's programs.
pub(crate) fn counts_from(moment: Instant) {
    *LAST_BEGAN.lock().unwrap_or_else(PoisonError::into_inner) = Some(moment);
}
