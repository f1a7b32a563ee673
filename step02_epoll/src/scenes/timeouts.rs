//! How long a wait waits.

use std::io;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use scene::{Transcript, say, scene};
use step01_fd::{check, pipe, write};
use step02_epoll::{Epoll, Events, Interest, Poll, Trigger};

use kit::objects::own;
use kit::{Sleeper, count_signals};

scene!(
    whole_milliseconds,
    "A wait counts in milliseconds. What becomes of 200 µs, and of for ever?"
);
/// poll(2) counts in milliseconds, as `epoll_wait` does. Nothing is on the list, so only time can
/// end these waits; and a signal.
fn whole_milliseconds(t: Transcript) -> anyhow::Result<()> {
    let mut poll = Poll::new();
    let mut events = Events::with_capacity(1);

    let due = Instant::now() + Duration::from_micros(200);
    let mut waits = 0;
    loop {
        poll.wait(&mut events, Some(due.saturating_duration_since(Instant::now())))?;
        waits += 1;
        if Instant::now() >= due {
            break;
        }
    }
    say!(t, "a timer in 200 µs: it takes {waits} wait until it is due");

    for (name, micros) in [("200 µs", 200), ("1.001 ms", 1001), ("1.999 ms", 1999)] {
        let asked = Duration::from_micros(micros);
        let started = Instant::now();
        poll.wait(&mut events, Some(asked))?;
        let early = started.elapsed() < asked;
        say!(t, "{name}: early: {early}");
    }

    poll.wait(&mut events, Some(Duration::ZERO))?;
    say!(t, "zero: back, events: {}", events.len());

    count_signals()?;
    say!(t, "Duration::MAX: {}", until_a_signal(Some(Duration::MAX), poll_wait)?);
    say!(t, "no timeout: {}", until_a_signal(None, poll_wait)?);
    Ok(())
}

scene!(what_ends_a_wait, "What ends a wait?");
/// Time, bytes and a signal each end a wait, and each in its own way.
fn what_ends_a_wait(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let mut events = Events::with_capacity(1);
    let short = Duration::from_micros(200);
    let mut early = 0;
    for _ in 0..20 {
        let started = Instant::now();
        epoll.wait(&mut events, Some(short))?;
        early += u32::from(started.elapsed() < short);
    }
    say!(t, "200 µs, 20 times: {early} times early");
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    say!(t, "zero: back, events: {}", events.len());

    let (reader, writer) = pipe()?;
    epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
    let sleeper = Sleeper::start(move || match epoll.wait(&mut events, None) {
        Ok(()) => format!("back, events: {}", events.len()),
        Err(error) => error.to_string(),
    })?;
    sleeper.wait_until_asleep()?;
    write(&writer, b"hello")?;
    say!(t, "no timeout: asleep until bytes come, {}", sleeper.join()?);

    count_signals()?;
    say!(t, "no timeout: {}", until_a_signal(None, epoll_wait)?);
    say!(t, "an hour: {}", until_a_signal(Some(Duration::from_hours(1)), epoll_wait)?);
    Ok(())
}

/// Waits in a thread, and sends it a signal once it is asleep.
fn until_a_signal(
    timeout: Option<Duration>,
    wait: fn(Option<Duration>) -> io::Result<usize>,
) -> anyhow::Result<String> {
    let sleeper = Sleeper::start(move || match wait(timeout) {
        Ok(count) => format!("back, events: {count}"),
        Err(error) => format!("{error}"),
    })?;
    sleeper.wait_until_asleep()?;
    if sleeper.is_finished() {
        return Ok(format!("did not sleep, {}", sleeper.join()?));
    }
    sleeper.interrupt()?;
    Ok(format!("asleep until a signal comes, {}", sleeper.join()?))
}

fn epoll_wait(timeout: Option<Duration>) -> io::Result<usize> {
    let mut events = Events::with_capacity(1);
    Epoll::new()?.wait(&mut events, timeout)?;
    Ok(events.len())
}

fn poll_wait(timeout: Option<Duration>) -> io::Result<usize> {
    let mut events = Events::with_capacity(1);
    Poll::new().wait(&mut events, timeout)?;
    Ok(events.len())
}

scene!(two_hundred_microseconds, "Can one sleep for less than a millisecond at all?");
/// The bare system calls. The younger one takes nanoseconds (Linux 5.11), and is the only one that
/// can sleep for 200 µs. How much later it wakes is up to the machine; only the classes are sure.
fn two_hundred_microseconds(t: Transcript) -> anyhow::Result<()> {
    let asked = Duration::from_micros(200);
    let whole = Duration::from_millis(1);
    let zero = shortest(1000, asked, || bare_epoll_wait(0))?;
    let one = shortest(20, whole, || bare_epoll_wait(1))?;
    let nanos = shortest(1000, whole, || bare_epoll_pwait2(200_000))?;
    say!(t, "epoll_wait, 0 ms:      sometimes over before 200 µs: {}", zero < asked);
    say!(t, "epoll_wait, 1 ms:      sometimes over before 200 µs: {}", one < asked);
    say!(t, "                       sometimes over before 1 ms:   {}", one < whole);
    say!(t, "epoll_pwait2, 200 µs:  sometimes over before 200 µs: {}", nanos < asked);
    say!(t, "                       sometimes over before 1 ms:   {}", nanos < whole);
    Ok(())
}

/// The shortest of so many waits; one that is over before `enough` is proof enough. A busy machine
/// may make many waits long, but not all of them.
fn shortest(
    waits: u32,
    enough: Duration,
    wait: fn() -> anyhow::Result<()>,
) -> anyhow::Result<Duration> {
    let mut shortest = Duration::MAX;
    for _ in 0..waits {
        let started = Instant::now();
        wait()?;
        shortest = shortest.min(started.elapsed());
        if shortest < enough {
            break;
        }
    }
    Ok(shortest)
}

fn bare_epoll_wait(milliseconds: libc::c_int) -> anyhow::Result<()> {
    // SAFETY: epoll_create1 takes a number and touches no memory of ours.
    let epoll = own("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    let mut room = libc::epoll_event { events: 0, u64: 0 };
    // SAFETY: the kernel writes at most one event, and there is room for one.
    let got = unsafe { libc::epoll_wait(epoll.as_raw_fd(), &raw mut room, 1, milliseconds) };
    check(got, || "epoll_wait".to_string())?;
    Ok(())
}

fn bare_epoll_pwait2(nanoseconds: i64) -> anyhow::Result<()> {
    // SAFETY: epoll_create1 takes a number and touches no memory of ours.
    let epoll = own("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    let mut room = libc::epoll_event { events: 0, u64: 0 };
    let timeout = [0_i64, nanoseconds];
    let no_mask = std::ptr::null::<libc::c_void>();
    // SAFETY: the kernel writes at most one event into `room`, reads two 64-bit numbers (seconds
    // and nanoseconds) from `timeout`, and is given no mask.
    let got = unsafe {
        libc::syscall(
            libc::SYS_epoll_pwait2,
            epoll.as_raw_fd(),
            &raw mut room,
            1,
            timeout.as_ptr(),
            no_mask,
            0_usize,
        )
    };
    check(i32::try_from(got)?, || "epoll_pwait2".to_string())?;
    Ok(())
}
