//! A time limit for tests: on a reader's page, a loop can run or sleep forever.

use std::process;
use std::sync::Once;
use std::thread;
use std::time::Duration;

/// Longer than the minute after which `cargo test` names the test that's still running.
const LIMIT: Duration = Duration::from_secs(75);

/// Ends the process if its tests aren't over after 75 seconds, counted from the first call. They
/// normally take a few.
pub fn limit_time() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        thread::spawn(|| {
            thread::sleep(LIMIT);
            eprintln!("error: a test hasn't ended after {LIMIT:?}");
            process::exit(101);
        });
    });
}
