//! The signals that end a server, unless whoever has started it wants them ignored.

use std::fs;

use asyncio::{Result, SIGHUP, SIGTERM, current_task, get_running_loop};

/// Has SIGTERM and SIGHUP cancel the current task. One that the process ignores stays ignored: `nohup` starts a
/// program so that it outlives its terminal.
pub fn end_at_signals() -> Result<()> {
    let event_loop = get_running_loop()?;
    let ignored = ignored();
    for signal in [SIGTERM, SIGHUP] {
        let is_ignored = ignored & 1 << (signal - 1) != 0;
        if let (Some(main), false) = (current_task(), is_ignored) {
            event_loop.add_signal_handler(signal, move || {
                main.cancel();
            })?;
        }
    }
    Ok(())
}

/// Returns the signals that this process ignores: bit 0 for signal 1. Where the kernel doesn't tell, it's none.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or_default()
}
