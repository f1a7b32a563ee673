//! What means the same. Where a line says `ConnectionReset`, a reader who writes `ECONNRESET` or
//! "connection reset by peer" has predicted it, too. `names.rs` has the names.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::names::{ANSWERS, ERRORS, FLAGS, LONGEST, NAMES, UNITS};
use super::words::words;

/// Each name of the tables, and the first one of its row.
static FIRST_NAMES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let rows = ERRORS.iter().chain(&FLAGS).chain(&NAMES);
    let named = rows.flat_map(|row| row.iter().map(|name| (squeezed(name), squeezed(row[0]))));
    named.collect()
});

/// The names of flags in our own words.
static FLAG_NAMES: LazyLock<HashSet<String>> =
    LazyLock::new(|| FLAGS.iter().map(|row| squeezed(row[0])).collect());

/// The lines that have answers of their own, and these answers, in our own words.
static OUR_ANSWERS: LazyLock<Vec<(String, Vec<String>)>> = LazyLock::new(|| {
    let in_our_words = |(line, answers): &(&str, &[&str])| {
        (ours(line), answers.iter().map(|answer| ours(answer)).collect())
    };
    ANSWERS.iter().map(in_our_words).collect()
});

/// Returns true if the typed words mean what a value of a line says, and nothing else that the
/// scene could have reported.
pub(super) fn mean(typed: &[String], value: &str, outcomes: &BTreeSet<String>) -> bool {
    let (typed, said) = (in_our_words(typed), ours(value));
    let mut answers = OUR_ANSWERS.iter().filter(|(line, _)| *line == said);
    let is_another = || outcomes.iter().any(|outcome| ours(outcome) == typed);
    typed == said || (answers.any(|(_, answers)| answers.contains(&typed)) && !is_another())
}

/// Returns what's between the parentheses, for a reader who writes only that. Without its `Err`, an
/// error has to have an error's name: any other value would look like a success.
pub(super) fn inside(value: &str) -> Option<&str> {
    let (before, inside) = value.strip_suffix(')')?.split_once('(')?;
    let is_error = || ERRORS.iter().any(|row| squeezed(row[0]) == ours(inside));
    match before {
        "Some" | "Ok" if !inside.starts_with('(') => Some(inside),
        "Err" if is_error() => Some(inside),
        _ => None,
    }
}

/// Returns a text in our own words: the same for two that differ only in spaces, signs, or the
/// names of things.
pub fn ours(text: &str) -> String {
    in_our_words(&words(text))
}

/// Joins the words, with one name for each thing, and with the flags in one order.
fn in_our_words(words: &[String]) -> String {
    let mut ours: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (word, length) = time(&words[at..])
            .or_else(|| named(&words[at..]))
            .unwrap_or_else(|| (words[at].clone(), 1));
        ours.push(word);
        at += length;
    }
    // `Bytes(24)` is 24 bytes.
    for at in 1..ours.len() {
        if ours[at - 1] == "byte" && ours[at].chars().all(|char| char.is_ascii_digit()) {
            ours.swap(at - 1, at);
        }
    }
    let are_flags =
        |one: &String, next: &String| [one, next].iter().all(|it| FLAG_NAMES.contains(*it));
    ours.chunk_by_mut(are_flags).for_each(<[String]>::sort);
    joined(&ours)
}

/// Finds the longest name that the words begin with. Returns the first name of its row, and how
/// many words it took.
fn named(words: &[String]) -> Option<(String, usize)> {
    let lengths = (1..=words.len().min(LONGEST)).rev();
    lengths.into_iter().find_map(|length| {
        let name = FIRST_NAMES.get(&joined(&words[..length]))?;
        Some((name.clone(), length))
    })
}

/// Returns a time that the words begin with in nanoseconds, so that 500 ms are half a second. A sum
/// such as `1 h 10 s` is one time, too: each of its units is smaller than the one before.
fn time(words: &[String]) -> Option<(String, usize)> {
    let (mut time, mut taken, mut last_unit) = (0.0, 0, f64::INFINITY);
    while let [number, unit, ..] = &words[taken..]
        && let Some((_, unit)) = UNITS.iter().find(|(names, _)| names.contains(&unit.as_str()))
        && let Ok(number) = number.parse::<f64>()
        && *unit < last_unit
    {
        time += (number * unit).round();
        (taken, last_unit) = (taken + 2, *unit);
    }
    let in_words = || if time == 0.0 { "0".to_owned() } else { format!("{time}ns") };
    (taken > 0).then(|| (in_words(), taken))
}

/// Returns a text's words without what's between them.
fn squeezed(text: &str) -> String {
    joined(&words(text))
}

/// Joins words. Only two numbers stay apart: 2 and 4 aren't 24.
fn joined(words: &[String]) -> String {
    let mut joined = String::new();
    for word in words {
        let ends_in_number = joined.ends_with(|char: char| char.is_ascii_digit());
        if ends_in_number && word.starts_with(|char: char| char.is_ascii_digit()) {
            joined.push(' ');
        }
        joined.extend(word.chars().filter(|&char| char != '_'));
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::answer::is_right;
    use crate::predict::sheet::Line;

    fn is_accepted(typed: &str, value: &str, outcomes: &[&str]) -> bool {
        let values = vec![value.to_owned()];
        let line = Line { text: String::new(), asked: String::new(), values, choice: None };
        is_right(typed, &line, &outcomes.iter().map(|&it| it.to_owned()).collect())
    }

    /// What a line says, and what a reader can write for it, between bars.
    #[rustfmt::skip]
    const SAME: [(&str, &str); 39] = [
        ("ConnectionReset", "connection reset|connection_reset|reset|ECONNRESET|Connection reset by peer|ConnectionResetError"),
        ("Err(ConnectionRefused)", "refused|ECONNREFUSED|connection refused|Err(ECONNREFUSED)|Connection refused (os error 111)"),
        ("Connection refused (os error 111)", "connection refused|ConnectionRefused|refused|ECONNREFUSED"),
        ("WouldBlock", "would block|would_block|EAGAIN|EWOULDBLOCK|BlockingIOError|resource temporarily unavailable"),
        ("Some(BrokenPipe)", "EPIPE|broken pipe|BrokenPipeError|Some(EPIPE)"),
        ("EPERM", "PermissionDenied|operation not permitted|PermissionError"),
        ("Operation not permitted (os error 1)", "EPERM|permission denied"),
        ("File exists (os error 17)", "EEXIST|already exists|FileExistsError|exists"),
        ("Err(\"entity not found\")", "NotFound|ENOENT|Err(not found)"),
        ("Too many open files (os error 24)", "EMFILE|too many open files"),
        ("InvalidInput", "EINVAL|invalid argument|ValueError"),
        ("Operation now in progress (os error 115)", "EINPROGRESS|in progress"),
        ("Err(Cancelled)", "Cancelled|canceled|CancelledError|asyncio.CancelledError|err cancelled"),
        ("is cancelled", "cancelled|CancelledError"),
        ("timed out", "timeout|TimeoutError"),
        ("true", "yes|True|TRUE|y"),
        ("false", "no|False"),
        ("Yes", "true"),
        ("None", "nothing|none|null"),
        ("nothing", "none|[]|no events|0 events"),
        ("[]", "[ ]|nothing|empty"),
        ("b''", "\"\"|''|empty"),
        ("returned 0 events", "0|0 events|no events"),
        ("End", "EOF|end of file|0|0 bytes"),
        ("Bytes(24)", "24 bytes|bytes(24)"),
        ("Bytes(1)", "1 byte|one byte"),
        ("sleeps", "asleep|blocks"),
        ("500ms", "0.5 s|0.5 seconds|500 ms|500000µs"),
        ("0ns", "0|0s|0 ms|zero"),
        ("Some(0ns)", "0|0s|Some(0)"),
        ("3600s", "1 h|3600 seconds|1 hour"),
        ("3610s", "1 h 10 s|1h 10s|60 min 10 s|1 hour, 10 seconds"),
        ("1.5s, 2s", "1 s 500 ms 2 s|1500 ms, 2 s"),
        ("Ok(42)", "42"),
        ("OUT | HUP | ERR", "EPOLLERR, EPOLLHUP, EPOLLOUT|HUP OUT ERR"),
        ("non-blocking, close-on-exec", "O_CLOEXEC, O_NONBLOCK|nonblocking cloexec"),
        ("[near READABLE]", "near EVENT_READ"),
        ("SIGUSR1, SIGUSR2", "USR1, USR2"),
        ("more than one wake-up", "more than 1 wakeup"),
    ];

    /// What a line says, and what's something else.
    const DIFFERENT: [(&str, &str); 26] = [
        ("ConnectionReset", "ConnectionRefused|refused|EPIPE|connection|ECONNABORTED"),
        ("Connection refused (os error 111)", "Connection refused (os error 104)|reset"),
        ("WouldBlock", "EINPROGRESS|EINTR|block|nothing|true"),
        ("Operation already in progress (os error 114)", "EINPROGRESS|in progress"),
        ("Operation now in progress (os error 115)", "BlockingIOError|EALREADY"),
        ("EPERM", "EACCES|EINVAL"),
        ("AlreadyExists", "NotFound|KeyError"),
        ("NotFound", "KeyError|nothing"),
        ("EINVAL", "ValueErrors|EBADF"),
        ("refused", "ECONNREFUSED|ECONNRESET"),
        ("Err(\"a value\")", "a value|Ok(a value)"),
        ("Ok(())", "()|nothing|none"),
        ("Ok(42)", "Err(42)|Some(42)|41"),
        ("Some(5s)", "None|Some(50s)|5 ms|5"),
        ("None", "0|0s|Some|no|false"),
        ("true", "no|false|not|1"),
        ("false", "yes|none|nothing|0"),
        ("nothing", "readable|WouldBlock|EOF|0"),
        ("End", "nothing|WouldBlock|1|Bytes(1)"),
        ("Bytes(24)", "24|bytes 2 4|42 bytes|2 bytes 4"),
        ("500ms", "5 s|500 s|0.05 s"),
        ("3610s", "1 h|1 h 10 min|10 s 1 h|1 h 10"),
        ("1s, 2s", "3 s|2 s, 1 s"),
        ("HUP                  readable", "IN, readable|HUP"),
        ("IN | HUP", "IN|HUP|IN OUT|IN HUP RDHUP"),
        ("SIGUSR1, SIGUSR2", "SIGUSR2, SIGUSR1|SIGUSR1"),
    ];

    #[test]
    fn another_name_for_the_same_thing_is_right() {
        for (value, others) in SAME {
            for typed in others.split('|') {
                assert!(is_accepted(typed, value, &["sleeping in a read"]), "{value}: {typed}");
            }
        }
    }

    #[test]
    fn what_means_something_else_is_wrong() {
        for (value, others) in DIFFERENT {
            for typed in others.split('|') {
                assert!(!is_accepted(typed, value, &["HUP and more"]), "{value}: {typed}");
            }
        }
    }

    #[test]
    fn no_name_stands_for_two_things() {
        let rows = || ERRORS.iter().chain(&FLAGS).chain(&NAMES);
        for (at, row) in rows().enumerate() {
            for name in *row {
                let others = rows().enumerate().filter(|(other, _)| *other != at);
                let mut others = others.flat_map(|(_, row)| row.iter());
                assert!(!others.any(|other| squeezed(other) == squeezed(name)), "{name}");
                assert!(words(name).len() <= LONGEST, "{name}");
            }
        }
    }

    #[test]
    fn a_word_that_the_scene_has_for_another_outcome_is_only_that_outcome() {
        assert!(is_accepted("nothing", "none", &["none", "Ann"]));
        assert!(!is_accepted("nothing", "none", &["none", "nothing"]));
    }
}
