//! The names of things, for `synonyms.rs`: std's, the man pages', errno(3)'s and asyncio's. A row
//! is about one thing, and no name is in two rows.
//!
//! A name that could mean something else isn't here. `KeyError`, for example, is what selectors
//! raises for a file that's registered twice, and for one that isn't registered at all.

/// The longest name in words: `Too many levels of symbolic links (os error 40)`.
pub const LONGEST: usize = 9;

/// The errors that scenes report: std's kind, what the kernel's number reads like, errno's name and
/// Python's exception.
#[rustfmt::skip]
pub const ERRORS: [&[&str]; 17] = [
    &["PermissionDenied", "EPERM", "Operation not permitted", "Operation not permitted (os error 1)", "PermissionError"],
    &["NotFound", "ENOENT", "No such file or directory", "No such file or directory (os error 2)", "entity not found", "FileNotFoundError"],
    &["Interrupted", "EINTR", "Interrupted system call", "Interrupted system call (os error 4)", "InterruptedError"],
    &["EBADF", "Bad file descriptor", "Bad file descriptor (os error 9)"],
    &["WouldBlock", "EAGAIN", "EWOULDBLOCK", "Try again", "Resource temporarily unavailable", "BlockingIOError"],
    &["AlreadyExists", "EEXIST", "File exists", "File exists (os error 17)", "FileExistsError"],
    &["InvalidInput", "EINVAL", "Invalid argument", "Invalid argument (os error 22)"],
    &["EMFILE", "Too many open files", "Too many open files (os error 24)"],
    &["BrokenPipe", "EPIPE", "BrokenPipeError"],
    &["ELOOP", "Too many levels of symbolic links", "Too many levels of symbolic links (os error 40)"],
    &["ConnectionReset", "ECONNRESET", "Connection reset by peer", "ConnectionResetError"],
    &["EISCONN", "Transport endpoint is already connected", "Transport endpoint is already connected (os error 106)"],
    &["ConnectionRefused", "ECONNREFUSED", "Connection refused (os error 111)", "ConnectionRefusedError"],
    &["EALREADY", "Operation already in progress", "Operation already in progress (os error 114)"],
    &["EINPROGRESS", "InProgress", "Operation now in progress", "Operation now in progress (os error 115)"],
    &["Cancelled", "canceled", "CancelledError", "asyncio.CancelledError"],
    &["TimedOut", "TimeoutError", "asyncio.TimeoutError"],
];

/// Flags, which mean the same in any order.
pub const FLAGS: [&[&str]; 12] = [
    &["IN", "EPOLLIN"],
    &["OUT", "EPOLLOUT"],
    &["ERR", "EPOLLERR"],
    &["HUP", "EPOLLHUP"],
    &["RDHUP", "EPOLLRDHUP"],
    &["ET", "EPOLLET"],
    &["ONESHOT", "EPOLLONESHOT"],
    &["READABLE", "EVENT_READ", "selectors.EVENT_READ"],
    &["WRITABLE", "EVENT_WRITE", "selectors.EVENT_WRITE"],
    &["non-blocking", "nonblock", "O_NONBLOCK"],
    &["close-on-exec", "CLOEXEC", "O_CLOEXEC", "FD_CLOEXEC"],
    &["append", "O_APPEND"],
];

/// Other things with two names.
pub const NAMES: [&[&str]; 14] = [
    &["SIGUSR1", "USR1"],
    &["SIGUSR2", "USR2"],
    &["SIGTERM", "TERM"],
    &["byte", "bytes"],
    &["event", "events"],
    &["0", "zero"],
    &["1", "one"],
    &["2", "two"],
    &["3", "three"],
    &["4", "four"],
    &["5", "five"],
    &["6", "six"],
    &["7", "seven"],
    &["10", "ten"],
];

/// What counts only if it's all there is: the line's value, and what a reader can write for it.
pub const ANSWERS: [(&str, &[&str]); 27] = [
    ("true", &["yes", "y"]),
    ("yes", &["true", "y"]),
    ("false", &["no", "n"]),
    ("no", &["false", "n"]),
    ("none", &["nothing", "null", "nil"]),
    ("nothing", &["none", "no events", "0 events", "empty"]),
    ("[]", &["nothing", "none"]),
    ("0 events", &["0", "nothing", "none", "no events"]),
    ("returned 0 events", &["0 events", "0", "nothing", "none", "no events"]),
    ("1 event", &["1"]),
    ("returned 1 event", &["1 event", "1"]),
    ("End", &["EOF", "end of file", "0 bytes", "0"]),
    ("asleep", &["sleeps", "sleeping", "blocks", "blocked"]),
    ("sleeps", &["asleep", "sleeping", "blocks", "blocked"]),
    ("ok", &["success", "succeeds", "no error"]),
    ("no error", &["ok", "success", "none", "0"]),
    ("no timeout", &["none"]),
    ("is cancelled", &["cancelled"]),
    ("fails", &["failed", "raises"]),
    ("TimedOut", &["timeout"]),
    ("ConnectionRefused", &["refused"]),
    ("ConnectionReset", &["reset"]),
    ("AlreadyExists", &["exists"]),
    ("InvalidInput", &["ValueError"]),
    ("readable", &["IN", "EPOLLIN"]),
    ("writable", &["OUT", "EPOLLOUT"]),
    ("neither", &["no", "nothing", "none"]),
];

/// Units of time, in nanoseconds.
pub const UNITS: [(&[&str], f64); 6] = [
    (&["ns"], 1.0),
    (&["µs", "μs", "us"], 1e3),
    (&["ms"], 1e6),
    (&["s", "sec", "second", "seconds"], 1e9),
    (&["min", "minute", "minutes"], 60e9),
    (&["h", "hour", "hours"], 3600e9),
];
