//! Threads that hand over to each other many times, kept on one CPU: the next one begins as soon as
//! the last one sleeps. On different CPUs, each waits for other processes of a busy machine.

use std::marker::PhantomData;

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// Keeps the thread that makes it, and the threads and processes that this one starts meanwhile, on
/// a single CPU. When it's dropped, that thread may run everywhere again.
///
/// A system can forbid it. Then it does nothing, and all that's lost is time.
#[derive(Debug)]
pub struct OneCpu {
    before: Option<CpuSet>,
    /// Only the thread that made it can take it back.
    _stays_here: PhantomData<*const ()>,
}

impl OneCpu {
    /// Keeps the calling thread on the CPU where it is.
    pub fn here() -> Self {
        let mut only = CpuSet::new();
        only.set(sched_getcpu());
        let before = sched_getaffinity(None).ok();
        let before = before.filter(|_| sched_setaffinity(None, &only).is_ok());
        OneCpu { before, _stays_here: PhantomData }
    }
}

impl Drop for OneCpu {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn cpus() -> u32 {
        sched_getaffinity(None).unwrap().count()
    }

    #[test]
    fn a_thread_stays_where_it_is_and_so_do_those_it_starts() {
        let before = cpus();
        let one = OneCpu::here();
        assert_eq!((cpus(), thread::spawn(cpus).join().unwrap()), (1, 1));
        drop(one);
        assert_eq!(cpus(), before);
    }
}
