//! Trials of `read` and `write` with many signals, each of which interrupts the call.

use std::fs::File;
use std::io::{Read as _, Write};

use kit::{Sleeper, count_signals};
use scene::{Program, Transcript, say, trial};
use step01_fd::{pipe, pipe_with_capacity, read, set_nonblocking, write};

use super::answer::{count, outcome};

/// The number of signals that arrive during one call.
const SIGNALS: &[usize] = &[0, 1, 2, 3, 40, 300];

trial!(
    read_after_many_signals,
    1,
    "A read waits until bytes arrive, however many signals interrupt it."
);
fn read_after_many_signals(program: &Program, t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    for signals in program.verbs(SIGNALS.iter().copied()) {
        let (reader, writer) = pipe()?;
        set_nonblocking(&reader, false)?;
        // Keeps the pipe open for reading if the thread gives up too early.
        let _duplicate = reader.try_clone()?;
        let sleeper = Sleeper::start(move || outcome(&read(&reader, &mut [0; 16])))?;
        interrupt(&sleeper, signals)?;
        File::from(writer).write_all(b"hello")?;
        let (signals, read) = (count(signals, "signal"), sleeper.join()?);
        say!(t, "read, {signals}, then hello arrives: {read}");
    }
    Ok(())
}

trial!(
    write_after_many_signals,
    1,
    "A write waits until there's room, however many signals interrupt it."
);
fn write_after_many_signals(program: &Program, t: Transcript) -> anyhow::Result<()> {
    count_signals()?;
    for signals in program.verbs(SIGNALS.iter().copied()) {
        let (reader, writer) = pipe_with_capacity(1)?;
        let mut full = File::from(writer.try_clone()?);
        let mut taken = vec![0; full.write(&vec![b'x'; 1 << 20])?];
        set_nonblocking(&writer, false)?;
        let sleeper = Sleeper::start(move || outcome(&write(&writer, b"hello")))?;
        interrupt(&sleeper, signals)?;
        File::from(reader.try_clone()?).read_exact(&mut taken)?;
        let (signals, written) = (count(signals, "signal"), sleeper.join()?);
        say!(t, "write 5 bytes, {signals}, then there's room: {written}");
    }
    Ok(())
}

/// Sends the signals one by one, each once the thread is asleep.
fn interrupt(sleeper: &Sleeper, signals: usize) -> anyhow::Result<()> {
    sleeper.wait_until_asleep()?;
    for _ in 0..signals {
        sleeper.interrupt()?;
        // The thread either sleeps again or has returned.
        sleeper.wait_until_asleep()?;
    }
    Ok(())
}
