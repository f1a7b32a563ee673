//! The points between a handler's instructions at which a trial intervenes, as densely as time
//! allows.

use std::fmt;

use anyhow::bail;
use kit::{StoppedAt, Tracee};
use step05_selfpipe::SIGUSR1;

/// A point in the handler, counted in instructions.
#[derive(Debug, Clone, Copy)]
pub(super) enum HandlerPoint {
    AfterItsStart(usize),
    /// A point after the handler's only system call, from which the point is cheaper to reach.
    AfterItsWrite(usize),
}

impl fmt::Display for HandlerPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandlerPoint::AfterItsStart(count) => write!(f, "{count} instructions after its start"),
            HandlerPoint::AfterItsWrite(count) => write!(f, "{count} instructions after its write"),
        }
    }
}

/// Returns points up to the write. From one atomic to the next the handler takes more than 20
/// instructions.
pub(super) fn up_to_the_write(apart: usize) -> impl Iterator<Item = HandlerPoint> {
    (0..=280).step_by(apart).map(HandlerPoint::AfterItsStart)
}

/// Returns points from the write to the end.
pub(super) fn after_the_write(apart: usize) -> impl Iterator<Item = HandlerPoint> {
    (0..=80).step_by(apart).map(HandlerPoint::AfterItsWrite)
}

/// Continues from the arrival of SIGUSR1 to a point in its handler. Returns false if the handler
/// ends before that point.
pub(super) fn reach(tracee: &mut Tracee, point: HandlerPoint) -> anyhow::Result<bool> {
    tracee.interrupt(SIGUSR1)?;
    let count = match point {
        HandlerPoint::AfterItsStart(count) => count,
        HandlerPoint::AfterItsWrite(count) => {
            if !to_the_end_of_its_write(tracee)? {
                return Ok(false);
            }
            count
        }
    };
    for _ in 0..count {
        tracee.step(0)?;
    }
    Ok(tracee.blocks(SIGUSR1)?)
}

fn to_the_end_of_its_write(tracee: &mut Tracee) -> anyhow::Result<bool> {
    loop {
        match tracee.to_the_next_call()? {
            StoppedAt::Call(number, _) if is(number, libc::SYS_rt_sigreturn) => return Ok(false),
            StoppedAt::Call(number, _) if is(number, libc::SYS_write) => {
                tracee.to_the_next_call()?;
                return Ok(true);
            }
            StoppedAt::Call(..) | StoppedAt::Return | StoppedAt::Instruction => {}
            StoppedAt::Signal(signal) => bail!("signal {signal} ends the handler"),
            StoppedAt::End => bail!("the process ends in the handler"),
        }
    }
}

/// Returns true if `number` is the number of `call`.
pub(super) fn is(number: u64, call: libc::c_long) -> bool {
    i64::try_from(number).is_ok_and(|number| number == call)
}
