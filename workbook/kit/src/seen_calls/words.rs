//! Describes a system call in words and adds details, as pairs of a name and a value:
//!
//! | name | value |
//! | --- | --- |
//! | `opens` | the descriptors that the call created |
//! | `duplicates` | the descriptor that the new descriptor duplicates |
//! | `closes` | the descriptor that was passed to `close` |
//! | `registers` | the epoll object, the descriptor, its token and the requested events |
//! | `unregisters` | the epoll object and the descriptor |
//! | `reports` | the epoll object, and for each event its token and its readiness |
//! | `sleeps` | the epoll object and the longest sleep, reported as the call begins |

use std::net::{Ipv4Addr, SocketAddrV4};

use super::{Registers, SeenCall};
use crate::errno_name;

/// Returns the numbers of the calls to report.
pub(super) fn calls() -> Vec<libc::c_long> {
    let mut calls = vec![
        libc::SYS_pipe2,
        libc::SYS_socketpair,
        libc::SYS_socket,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_connect,
        libc::SYS_accept4,
        libc::SYS_shutdown,
        libc::SYS_epoll_create1,
        libc::SYS_epoll_ctl,
        libc::SYS_epoll_pwait,
        libc::SYS_eventfd2,
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_recvfrom,
        libc::SYS_sendto,
        libc::SYS_close,
        libc::SYS_dup3,
        libc::SYS_fcntl,
        libc::SYS_kill,
        libc::SYS_tgkill,
        libc::SYS_tkill,
    ];
    // Newer architectures don't have this call, only its successor.
    #[cfg(target_arch = "x86_64")]
    calls.push(libc::SYS_epoll_wait);
    calls.sort_unstable();
    calls
}

/// Returns the report to make when a call begins, which says how long the call can sleep. Returns
/// `None` unless the call is an epoll wait that can sleep.
pub(super) fn beginning(call: Registers) -> Option<SeenCall> {
    let milliseconds = is_wait(call).then(|| int(call.arguments[3])).filter(|it| *it != 0)?;
    let sleeps = if milliseconds < 0 { "forever".to_owned() } else { format!("{milliseconds}ms") };
    let epoll = fd(call.arguments[0]);
    let what = format!("epoll_wait({epoll}, timeout {sleeps}) …");
    Some(SeenCall { what, more: vec![("sleeps", format!("{epoll} {sleeps}"))] })
}

/// Returns the report to make when a call has ended, or `None` if the call isn't worth reporting.
pub(super) fn end(call: Registers, result: libc::c_long) -> Option<SeenCall> {
    let [a, b, c, d, ..] = call.arguments;
    let opened = |what: String, made: &[i32]| {
        let made = made.iter().map(|&it| fd(it.into())).collect::<Vec<_>>();
        let what = match outcome(result) {
            Ok(_) => format!("{what} = {}", made.join(", ")),
            Err(error) => format!("{what} = {error}"),
        };
        let more = if result < 0 { vec![] } else { vec![("opens", made.join(" "))] };
        Some(SeenCall { what, more })
    };
    let plain = |what: String| {
        let outcome = match outcome(result) {
            Ok(number) => number.to_string(),
            Err(error) => error,
        };
        Some(SeenCall { what: format!("{what} = {outcome}"), more: vec![] })
    };
    let new = [int(result)];
    let duplicated = |what: String| {
        let mut seen = opened(what, &new)?;
        seen.more.push(("duplicates", fd(a)));
        Some(seen)
    };
    match call.number {
        libc::SYS_pipe2 => opened("pipe2()".to_owned(), &pair(a, result)),
        libc::SYS_socketpair => opened("socketpair()".to_owned(), &pair(d, result)),
        libc::SYS_epoll_create1 => opened("epoll_create1()".to_owned(), &new),
        libc::SYS_eventfd2 => opened("eventfd()".to_owned(), &new),
        libc::SYS_socket => opened(format!("socket({})", family(a)), &new),
        libc::SYS_accept4 => opened(format!("accept4({})", fd(a)), &new),
        libc::SYS_dup3 => duplicated(format!("dup3({}, {b})", fd(a))),
        libc::SYS_fcntl if int(b) == libc::F_DUPFD_CLOEXEC => {
            duplicated(format!("fcntl({}, F_DUPFD_CLOEXEC)", fd(a)))
        }
        // Skip calls that get or set flags, including those that std's checks make in a debug
        // build.
        libc::SYS_fcntl => None,
        libc::SYS_close => {
            let seen = plain(format!("close({})", fd(a)))?;
            Some(SeenCall { more: vec![("closes", fd(a))], ..seen })
        }
        libc::SYS_bind => plain(format!("bind({})", fd(a))),
        libc::SYS_listen => plain(format!("listen({})", fd(a))),
        libc::SYS_connect => plain(format!("connect({}, {})", fd(a), address(b))),
        libc::SYS_shutdown => plain(format!("shutdown({}, {})", fd(a), direction(b))),
        libc::SYS_read | libc::SYS_recvfrom => {
            let name = if call.number == libc::SYS_read { "read" } else { "recv" };
            let what = format!("{name}({}, {c} {})", fd(a), if c == 1 { "byte" } else { "bytes" });
            let outcome = match outcome(result) {
                Ok(0) => "0, the end".to_owned(),
                Ok(count) => format!("{count}{}", text(b, count)),
                Err(error) => error,
            };
            Some(SeenCall { what: format!("{what} = {outcome}"), more: vec![] })
        }
        libc::SYS_write | libc::SYS_sendto => {
            let name = if call.number == libc::SYS_write { "write" } else { "send" };
            plain(format!("{name}({}, {})", fd(a), written(b, c)))
        }
        libc::SYS_epoll_ctl => Some(control(call, result)),
        libc::SYS_kill => plain(format!("kill(own process, {})", signal(b))),
        libc::SYS_tkill => plain(format!("tkill({}, {})", thread(a), signal(b))),
        libc::SYS_tgkill => plain(format!("tgkill({}, {})", thread(b), signal(c))),
        _ if is_wait(call) => Some(wait(call, result)),
        _ => None,
    }
}

fn is_wait(call: Registers) -> bool {
    #[cfg(target_arch = "x86_64")]
    if call.number == libc::SYS_epoll_wait {
        return true;
    }
    call.number == libc::SYS_epoll_pwait
}

fn control(call: Registers, result: libc::c_long) -> SeenCall {
    let [epoll, operation, target, event, ..] = call.arguments;
    let (epoll, target) = (fd(epoll), fd(target));
    let outcome = outcome(result).map_or_else(|error| error, |number| number.to_string());
    let name = match int(operation) {
        libc::EPOLL_CTL_ADD => "ADD",
        libc::EPOLL_CTL_MOD => "MOD",
        _ => {
            let more = vec![("unregisters", format!("{epoll} {target}"))];
            let what = format!("epoll_ctl({epoll}, DEL, {target}) = {outcome}");
            return SeenCall { what, more: if result == 0 { more } else { vec![] } };
        }
    };
    let event: Vec<libc::epoll_event> = copy(event, 1);
    let Some(&libc::epoll_event { events, u64: token }) = event.first() else {
        return SeenCall { what: format!("epoll_ctl({epoll}, {name}, {target})"), more: vec![] };
    };
    let interest = bits(events);
    let what = format!("epoll_ctl({epoll}, {name}, {target}, {interest}) = {outcome}");
    let more = vec![("registers", format!("{epoll} {target} {token} {interest}"))];
    SeenCall { what, more: if result == 0 { more } else { vec![] } }
}

fn wait(call: Registers, result: libc::c_long) -> SeenCall {
    let [epoll, events, _room, timeout, ..] = call.arguments;
    let timeout = match int(timeout) {
        ..0 => "forever".to_owned(),
        0 => "0".to_owned(),
        milliseconds => format!("{milliseconds}ms"),
    };
    let count = outcome(result);
    let events: Vec<libc::epoll_event> = copy(events, count.as_ref().copied().unwrap_or(0));
    let events =
        events.iter().map(|&libc::epoll_event { events, u64 }| format!("{u64}:{}", bits(events)));
    let reports = std::iter::once(fd(epoll)).chain(events).collect::<Vec<_>>().join(" ");
    let outcome = match count {
        Ok(0) => "nothing".to_owned(),
        Ok(1) => "1 event".to_owned(),
        Ok(count) => format!("{count} events"),
        Err(error) => error,
    };
    let what = format!("epoll_wait({}, timeout {timeout}) = {outcome}", fd(epoll));
    SeenCall { what, more: vec![("reports", reports)] }
}

/// Returns the number that a call returned, or the name of its error.
fn outcome(result: libc::c_long) -> Result<usize, String> {
    usize::try_from(result).map_err(|_| errno_name(int(-result)))
}

/// Returns the names of the bits that are set in an epoll event, or `nothing`. Bits without a name
/// here are left out.
fn bits(events: u32) -> String {
    let names = [
        (libc::EPOLLIN, "IN"),
        (libc::EPOLLPRI, "PRI"),
        (libc::EPOLLOUT, "OUT"),
        (libc::EPOLLERR, "ERR"),
        // The scenes use the following names.
        (libc::EPOLLRDHUP, "RDHUP"),
        (libc::EPOLLHUP, "HUP"),
        (libc::EPOLLET, "ET"),
        (libc::EPOLLONESHOT, "ONESHOT"),
    ];
    let set = names.iter().filter(|(bit, _)| events & bit.cast_unsigned() != 0);
    let set: Vec<&str> = set.map(|(_, name)| *name).collect();
    if set.is_empty() { "nothing".to_owned() } else { set.join("|") }
}

fn family(number: libc::c_long) -> &'static str {
    match int(number) {
        libc::AF_UNIX => "UNIX",
        libc::AF_INET6 => "IPv6",
        _ => "IPv4",
    }
}

fn direction(number: libc::c_long) -> &'static str {
    match int(number) {
        libc::SHUT_RD => "RD",
        libc::SHUT_WR => "WR",
        _ => "RDWR",
    }
}

fn thread(id: libc::c_long) -> &'static str {
    // SAFETY: gettid takes nothing and touches no memory of ours.
    let own = unsafe { libc::gettid() };
    if int(id) == own { "this thread" } else { "another thread" }
}

fn signal(number: libc::c_long) -> String {
    let names = [
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGUSR2, "SIGUSR2"),
    ];
    let name = names.iter().find(|(signal, _)| *signal == int(number));
    name.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}

/// Returns the address that a socket connects to. Leaves out the port, because it differs from run
/// to run.
fn address(pointer: libc::c_long) -> String {
    let family: Vec<libc::sa_family_t> = copy(pointer, 1);
    if family.first() != Some(&libc::sa_family_t::try_from(libc::AF_INET).unwrap_or(0)) {
        return "its address".to_owned();
    }
    let address: Vec<libc::sockaddr_in> = copy(pointer, 1);
    let address = address.first().map(|it| u32::from_be(it.sin_addr.s_addr)).unwrap_or_default();
    SocketAddrV4::new(Ipv4Addr::from_bits(address), 0).ip().to_string()
}

/// If the bytes at an address are a short piece of text, returns a space and the text in quotes.
/// Otherwise, returns an empty string.
fn text(pointer: libc::c_long, count: usize) -> String {
    const SHORT: usize = 24;
    let bytes: Vec<u8> = copy(pointer, count.min(SHORT + 1));
    let is_text = bytes.iter().all(|byte| byte.is_ascii_graphic() || b" \n".contains(byte));
    match String::from_utf8(bytes) {
        Ok(text) if is_text && count <= SHORT && count > 0 => format!(" {text:?}"),
        _ => String::new(),
    }
}

/// Returns the bytes to be written if they're a short piece of text, and otherwise their number.
fn written(pointer: libc::c_long, count: libc::c_long) -> String {
    match usize::try_from(count).map(|count| text(pointer, count)).unwrap_or_default() {
        text if text.is_empty() => format!("{count} {}", if count == 1 { "byte" } else { "bytes" }),
        text => text.trim_start().to_owned(),
    }
}

fn pair(pointer: libc::c_long, result: libc::c_long) -> Vec<i32> {
    if result < 0 { vec![] } else { copy(pointer, 2) }
}

/// Copies the memory that a call's argument points to. The argument has to be null or valid, even
/// if the call has failed: no program that's recorded passes another pointer.
fn copy<T: Copy>(pointer: libc::c_long, count: usize) -> Vec<T> {
    let pointer = pointer as *const T;
    if pointer.is_null() {
        return vec![];
    }
    // SAFETY: the call described here reads or writes this many values there. A packed struct
    // needn't be aligned.
    let read = |index| unsafe { pointer.wrapping_add(index).read_unaligned() };
    (0..count).map(read).collect()
}

fn fd(number: libc::c_long) -> String {
    format!("⟨{}⟩", int(number))
}

/// Returns the half of a register that contains an `int`.
fn int(register: libc::c_long) -> i32 {
    let half = register.cast_unsigned() & u64::from(u32::MAX);
    u32::try_from(half).unwrap_or_default().cast_signed()
}
