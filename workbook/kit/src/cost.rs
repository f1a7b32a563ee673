//! The cost of a piece of code: sleeps, CPU time, memory, descriptors, and the system calls that
//! transfer bytes. Trials compare the cost with the budget that an exercise's docs promise.
//!
//! Costs differ a little from one correct answer to the next. So a trial prints the cost itself
//! only if it isn't [`within`] the budget.

use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use anyhow::Context;

use crate::check::check;

/// The number of calls that transferred bytes or tried to, including calls that failed with EAGAIN.
///
/// The kernel counts `read`, `write` and similar calls, but not `recv` and `send`. So measure with
/// pipes, or ask an [`Observer`](crate::Observer) for its [`Transfers`](crate::Transfers). See
/// `proc_pid_io(5)`, `syscr` and `syscw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    /// Calls to `read` and similar functions.
    pub reads: u64,
    /// Calls to `write` and similar functions.
    pub writes: u64,
}

impl Calls {
    /// Runs `f` and returns its result, with the number of calls that `f` makes in this thread.
    ///
    /// Fails if the kernel was built without `CONFIG_TASK_IO_ACCOUNTING` and so doesn't count
    /// calls.
    pub fn of<T>(f: impl FnOnce() -> T) -> anyhow::Result<(T, Calls)> {
        let first = Calls::until_now()?;
        let before = Calls::until_now()?;
        let done = f();
        let after = Calls::until_now()?;
        // The difference between the first two readings is the number of calls that a reading
        // takes.
        let look = before.reads - first.reads;
        let reads = after.reads - before.reads - look;
        Ok((done, Calls { reads, writes: after.writes - before.writes }))
    }

    fn until_now() -> anyhow::Result<Calls> {
        let file = "/proc/thread-self/io";
        let text = fs::read_to_string(file).with_context(|| format!("read {file}"))?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|count| count.trim().parse().ok())
                .with_context(|| format!("{file}: {name}"))
        };
        Ok(Calls { reads: field("syscr:")?, writes: field("syscw:")? })
    }
}

/// Runs `f` and returns its result, with the number of times that the calling thread falls asleep
/// in `f`. That's the number of the thread's voluntary context switches; see `getrusage(2)`.
pub fn sleeps_in<T>(f: impl FnOnce() -> T) -> io::Result<(T, i64)> {
    let before = usage(libc::RUSAGE_THREAD)?.ru_nvcsw;
    let done = f();
    Ok((done, usage(libc::RUSAGE_THREAD)?.ru_nvcsw - before))
}

/// The total CPU time and the total number of sleeps of all threads in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfAllThreads {
    /// The CPU time.
    pub time: Duration,
    /// The number of times that threads fell asleep.
    pub sleeps: i64,
}

impl OfAllThreads {
    /// Returns the time and the sleeps until now.
    pub fn until_now() -> io::Result<OfAllThreads> {
        let usage = usage(libc::RUSAGE_SELF)?;
        let time = duration(usage.ru_utime) + duration(usage.ru_stime);
        Ok(OfAllThreads { time, sleeps: usage.ru_nvcsw })
    }

    /// Returns the time and the sleeps since an earlier moment.
    #[must_use]
    pub fn since(self, before: OfAllThreads) -> OfAllThreads {
        let time = self.time.saturating_sub(before.time);
        OfAllThreads { time, sleeps: self.sleeps - before.sleeps }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let microseconds = u32::try_from(time.tv_usec).unwrap_or(0);
    Duration::new(time.tv_sec.unsigned_abs(), microseconds * 1000)
}

/// Runs `f` and returns its result, with the CPU time that the calling thread needs for `f`. Other
/// threads and processes don't count, but they can slow down `f` through the caches, so compare
/// only times that differ by a lot.
pub fn cpu_time_of<T>(f: impl FnOnce() -> T) -> io::Result<(T, Duration)> {
    let before = cpu_time()?;
    let done = f();
    Ok((done, cpu_time()?.saturating_sub(before)))
}

/// Returns the factor by which the CPU time of `f` grows from the first size to the second, using
/// the shortest of five measurements for each size. A factor around 1 means that the time doesn't
/// depend on the size, and a factor equal to the sizes' ratio means that the time grows linearly.
///
/// Ignores measurements of zero, because we've seen a virtual machine's CPU-time clock stand still
/// during one measurement in a million.
pub fn growth(sizes: (usize, usize), mut f: impl FnMut(usize) -> Duration) -> f64 {
    let mut shortest = |size| {
        let measured = (0..5).map(|_| f(size)).filter(|time| !time.is_zero());
        measured.min().unwrap_or_default()
    };
    let (small, large) = (shortest(sizes.0), shortest(sizes.1));
    // The minimum keeps us from dividing by zero.
    large.as_secs_f64() / small.as_secs_f64().max(1e-7)
}

/// Returns the amount of this process's memory that is in RAM, in bytes, without file-backed pages.
/// File-backed pages hold the program's own code, for example. They're loaded as the code runs and
/// say nothing about the memory that the program keeps. See `proc_pid_statm(5)`.
pub fn resident_bytes() -> anyhow::Result<usize> {
    let text = fs::read_to_string("/proc/self/statm").context("read /proc/self/statm")?;
    let mut fields = text.split_whitespace().map(str::parse);
    let mut next = || fields.next().context("/proc/self/statm has too few fields");
    let (_size, resident, of_files): (usize, usize, usize) = (next()??, next()??, next()??);
    Ok(resident.saturating_sub(of_files) * page_size())
}

/// Returns the size of a memory page, in bytes. The size is 4,096 on most machines.
pub fn page_size() -> usize {
    // SAFETY: takes no pointer.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).expect("every system has a page size")
}

/// Returns the number of descriptors that this process has open.
pub fn open_descriptors() -> io::Result<usize> {
    // We've opened one of these descriptors ourselves, to read the directory.
    Ok(fs::read_dir("/proc/self/fd")?.count() - 1)
}

/// Returns whether a cost is within its budget, in words: `within the budget`, or
/// `7, but at most 3 are allowed`.
pub fn within<T: PartialOrd + std::fmt::Display>(cost: T, budget: T) -> String {
    if cost <= budget {
        "within the budget".to_owned()
    } else {
        let are = if budget.to_string() == "1" { "is" } else { "are" };
        format!("{cost}, but at most {budget} {are} allowed")
    }
}

fn cpu_time() -> io::Result<Duration> {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the pointer is to a timespec, which the kernel fills in.
    let got = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()) };
    check(got, "clock_gettime")?;
    // SAFETY: all zeros is a valid timespec, and the kernel fills in a valid timespec.
    let time = unsafe { time.assume_init() };
    Ok(Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

fn usage(whose: libc::c_int) -> io::Result<libc::rusage> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to an rusage, which the kernel fills in.
    let got = unsafe { libc::getrusage(whose, usage.as_mut_ptr()) };
    check(got, "getrusage")?;
    // SAFETY: all zeros is a valid rusage, and the kernel fills in a valid rusage.
    Ok(unsafe { usage.assume_init() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn reads_and_writes_are_counted_without_the_looks() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        let ((), none) = Calls::of(|| ()).unwrap();
        assert_eq!(none, Calls { reads: 0, writes: 0 });
        let ((), calls) = Calls::of(|| {
            writer.write_all(b"ab").unwrap();
            reader.read_exact(&mut [0]).unwrap();
            reader.read_exact(&mut [0]).unwrap();
        })
        .unwrap();
        assert_eq!(calls, Calls { reads: 2, writes: 1 });
    }

    #[test]
    fn a_budget_is_named_only_if_it_is_exceeded() {
        assert_eq!(within(2, 2), within(3, 4));
        assert_eq!(within(7, 3), "7, but at most 3 are allowed");
    }

    #[test]
    fn a_clock_that_stood_still_has_measured_nothing() {
        let mut measurements = 0;
        let grown = growth((1, 100), |_| {
            measurements += 1;
            Duration::from_micros(if measurements == 2 { 0 } else { 10 })
        });
        assert!((0.9..1.1).contains(&grown), "{grown}");
    }

    #[test]
    fn a_linear_cost_grows_with_the_size_and_a_constant_one_does_not() {
        let sum = |size: usize| {
            let work = || (0..size).fold(0_usize, |sum, n| std::hint::black_box(sum ^ n));
            cpu_time_of(work).unwrap().1
        };
        assert!(growth((10_000, 1_000_000), sum) > 20.0);
        assert!(growth((10_000, 1_000_000), |_| sum(10_000)) < 5.0);
    }
}
