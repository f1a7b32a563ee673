//! The outcome of a function, in words that are the same for every right answer.

use std::fmt::Debug;
use std::io;

use kit::errno_name;
use step01_fd::{CallError, errno};

/// Describes a count of things: `1 byte`, `5 bytes`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Describes a result: the value, or the error's name.
pub(crate) fn outcome<T: Debug>(result: &io::Result<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => failure(error),
    }
}

/// Describes an error by its name, and says whether the error breaks a promise of the docs.
pub(crate) fn failure(error: &io::Error) -> String {
    let Some(number) = errno(error) else {
        return format!("an error of the kind {:?}, without the kernel's errno", error.kind());
    };
    let name = errno_name(number);
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<CallError>());
    let Some(inner) = inner else {
        return format!("{name}, which doesn't name the call that failed");
    };
    let kind = io::Error::from_raw_os_error(number).kind();
    if error.kind() != kind {
        return format!("{name}, of the kind {:?}", error.kind());
    }
    match named(&inner.to_string(), number) {
        Some(call) => format!("{name} from {call}"),
        None => name,
    }
}

/// Returns `read` or `write` if an error's text names that call.
fn named(text: &str, number: i32) -> Option<&'static str> {
    let reason = io::Error::from_raw_os_error(number).to_string();
    let call = text.trim_end_matches(&reason);
    ["read", "write"].into_iter().find(|name| call.contains(name))
}
