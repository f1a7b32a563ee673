//! Measures a thread's processor time and computes figures per operation.

use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::task::Poll;
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time that the calling thread has used so far.
///
/// The result leaves out time that other programs use, so a busy machine hardly changes the result.
pub(crate) fn processor_time() -> Duration {
    time_of(ClockId::ThreadCPUTime)
}

/// Returns the processor time that all threads of this process have used so far.
pub(crate) fn processor_time_of_all() -> Duration {
    time_of(ClockId::ProcessCPUTime)
}

fn time_of(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Returns the nanoseconds of processor time that this thread has used since `began`.
pub(crate) fn nanos_since(began: Duration) -> u64 {
    u64::try_from(processor_time().saturating_sub(began).as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the average number of nanoseconds per operation.
#[expect(clippy::cast_precision_loss, reason = "a time need not be exact to the last bit")]
pub(crate) fn per_operation(nanos: u64, count: u64) -> f64 {
    nanos as f64 / count as f64
}

/// Wakes the current task and waits for the task's next turn. On tokio, the load `yield_alone`
/// yields in this way.
pub(crate) async fn wake_oneself() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Raises the soft limit on descriptors to the hard limit. Returns the new limit.
pub(crate) fn raise_descriptor_limit() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If the limit can't be raised, the old limit remains, and we measure with fewer descriptors.
    let _ = setrlimit(Resource::Nofile, limit);
    let limit = getrlimit(Resource::Nofile).current;
    limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
}

/// Returns the directory for files that are needed only during a race.
pub(crate) fn scratch_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/race")
}
