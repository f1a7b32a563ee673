//! Stops the program if a server never returns control to the loop.
//!
//! In that case, the loop never consults its clock again, so no code on the loop's thread can stop
//! the server. Instead, another thread watches how much processor time the server has used since
//! the loop last consulted its clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use std::{fs, process, thread};

/// The processor time that the server may use before the loop consults its clock again, in
/// hundredths of a second. These servers need far less.
const TOO_LONG: u64 = 500;

/// A watch over the thread that made this value. The watch ends when the value is dropped.
pub(crate) struct Watchdog {
    /// Dropping this sender tells the watching thread that the story is over.
    _is_over: Sender<()>,
}

impl Watchdog {
    /// Starts to watch the calling thread. `turns` has to grow whenever the loop consults its
    /// clock.
    pub(crate) fn start(turns: Arc<AtomicU64>) -> Self {
        let (sender, is_over) = channel();
        if let Ok(watched) = fs::read_link("/proc/thread-self") {
            let stat = format!("/proc/{}/stat", watched.display());
            thread::spawn(move || {
                let mut last = (0, 0);
                while is_over.recv_timeout(Duration::from_millis(200))
                    == Err(RecvTimeoutError::Timeout)
                {
                    // Relaxed: no other data depends on this number.
                    let (turn, used) = (turns.load(Ordering::Relaxed), processor_time(&stat));
                    if turn != last.0 {
                        last = (turn, used);
                    } else if used > last.1 + TOO_LONG {
                        end();
                    }
                }
            });
        }
        Watchdog { _is_over: sender }
    }
}

/// Returns a thread's processor time in hundredths of a second: see `proc_pid_stat(5)`.
fn processor_time(stat: &str) -> u64 {
    let stat = fs::read_to_string(stat).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_name, fields)| fields);
    fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn end() {
    eprintln!(
        "error: the server has kept the processor for 5 s and hasn't given up its turn: it has a loop \
         without an await, or with an await that never has to wait"
    );
    process::exit(1);
}
