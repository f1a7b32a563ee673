//! Ranges, the parts of a file that a request can ask for, as in RFC 9110, section 14.

use std::ops::Range;

/// The part that a Range field asks for.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// The whole file: there's no range, or none that we understand. A server may ignore any range.
    All,
    /// The bytes at these offsets.
    Part(Range<u64>),
    /// A valid range that contains no byte of the file.
    Unsatisfiable,
}

impl Wanted {
    /// Parses "bytes=3-5", "bytes=3-" (from there to the end) or "bytes=-3" (the last three), for a
    /// file of `size` bytes. If a request has several ranges, they're ignored, and the client gets
    /// the whole file.
    pub(crate) fn of(field: &str, size: u64) -> Self {
        let Some((first, last)) = split(field) else { return Wanted::All };
        let part = match (number(first), number(last)) {
            (Some(first), Some(last)) if first > last => return Wanted::All,
            (Some(first), Some(last)) => first..size.min(last.saturating_add(1)),
            (Some(first), None) if last.is_empty() => first..size,
            (None, Some(count)) if first.is_empty() => size.saturating_sub(count)..size,
            _ => return Wanted::All,
        };
        if part.is_empty() { Wanted::Unsatisfiable } else { Wanted::Part(part) }
    }
}

fn split(field: &str) -> Option<(&str, &str)> {
    let (unit, range) = field.split_once('=')?;
    unit.eq_ignore_ascii_case("bytes").then(|| range.trim().split_once('-')).flatten()
}

/// Parses a number. A number that doesn't fit into a `u64` becomes the largest `u64`, since no file
/// is that long.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}
