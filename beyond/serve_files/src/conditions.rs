//! Conditional requests, as in RFC 9110, section 13: does the client already have the file's
//! current version?

use std::time::{SystemTime, UNIX_EPOCH};

use httparse::Header;

use crate::fields::{only, tokens};
use crate::status::Status;

/// The header fields that make a request depend on the file's state.
#[derive(Debug, Default)]
#[expect(clippy::struct_field_names, reason = "these are the names of the fields in a request")]
pub(crate) struct Conditions {
    if_match: Option<Vec<String>>,
    if_unmodified_since: Option<SystemTime>,
    if_none_match: Option<Vec<String>>,
    if_modified_since: Option<SystemTime>,
    if_range: Option<String>,
}

/// The values that distinguish one state of a file from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Validators {
    /// The tag, including its quotes. It's a strong tag: if two states of the file differ in a
    /// byte, they have different tags, unless they have the same size and the file system recorded
    /// the same time for both.
    pub(crate) etag: String,
    /// The time of the last modification, in whole seconds, since a client sends it back in that
    /// form, or `None` if it's outside the years that `httpdate` supports.
    pub(crate) last_modified: Option<SystemTime>,
}

impl Conditions {
    pub(crate) fn of(fields: &[Header<'_>]) -> Self {
        let date = |name| only(fields, name).and_then(|date| httpdate::parse_http_date(date).ok());
        Conditions {
            if_match: list(fields, "if-match"),
            if_unmodified_since: date("if-unmodified-since"),
            if_none_match: list(fields, "if-none-match"),
            if_modified_since: date("if-modified-since"),
            if_range: only(fields, "if-range").map(str::to_owned),
        }
    }

    /// Returns the status of the answer if the file's bytes needn't or mustn't be sent. A tag is
    /// more precise than a date, so if a request states the same condition with both, the date is
    /// ignored: RFC 9110, 13.2.2.
    pub(crate) fn check(&self, file: &Validators) -> Option<Status> {
        let fails = match (&self.if_match, self.if_unmodified_since) {
            (Some(tags), _) => !tags.iter().any(|tag| tag == "*" || *tag == file.etag),
            (None, Some(date)) => file.last_modified.is_some_and(|modified| modified > date),
            (None, None) => false,
        };
        if fails {
            return Some(Status::PreconditionFailed);
        }
        let is_known = match (&self.if_none_match, self.if_modified_since) {
            (Some(tags), _) => tags.iter().any(|tag| tag == "*" || strong(tag) == file.etag),
            (None, Some(date)) => file.last_modified.is_some_and(|modified| modified <= date),
            (None, None) => false,
        };
        is_known.then_some(Status::NotModified)
    }

    /// Returns false if the range could come from a different state of the file than the part that
    /// the client already has.
    pub(crate) fn allow_range(&self, file: &Validators) -> bool {
        match self.if_range.as_deref() {
            None => true,
            Some(tag) if tag.contains('"') => tag == file.etag,
            Some(date) => {
                file.last_modified.is_some()
                    && httpdate::parse_http_date(date).ok() == file.last_modified
            }
        }
    }
}

fn list(fields: &[Header<'_>], name: &'static str) -> Option<Vec<String>> {
    let mut tags = tokens(fields, name).map(str::to_owned).peekable();
    tags.peek().is_some().then(|| tags.collect())
}

/// Returns a tag without its weakness mark, which makes no difference to If-None-Match.
fn strong(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// Rounds a time down to whole seconds. Returns `None` if the time isn't between 1970 and 9999, the
/// years that `httpdate` supports.
pub(crate) fn in_seconds(time: SystemTime) -> Option<SystemTime> {
    const YEAR_10000: u64 = 253_402_300_800;
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    (seconds < YEAR_10000).then(|| UNIX_EPOCH + std::time::Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const MODIFIED: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const AFTER: &str = "Sunday, 06-Nov-94 08:49:38 GMT";

    fn file() -> Validators {
        let last_modified = httpdate::parse_http_date(MODIFIED).ok();
        Validators { etag: "\"tag\"".to_owned(), last_modified }
    }

    fn conditions(fields: &[(&str, &str)]) -> Conditions {
        let field = |&(name, value): &(_, &'static str)| Header { name, value: value.as_bytes() };
        let fields: Vec<_> =
            fields.iter().map(|(name, value)| field(&(*name, leak(value)))).collect();
        Conditions::of(&fields)
    }

    fn leak(value: &str) -> &'static str {
        Box::leak(value.to_owned().into_boxed_str())
    }

    #[test]
    fn a_file_that_the_client_has_is_not_sent_again() {
        let check = |name, value| conditions(&[(name, value)]).check(&file());
        for (name, value, expected) in [
            ("If-None-Match", "\"tag\"", Some(Status::NotModified)),
            ("If-None-Match", "W/\"tag\"", Some(Status::NotModified)),
            ("If-None-Match", "\"other\", \"tag\"", Some(Status::NotModified)),
            ("If-None-Match", "*", Some(Status::NotModified)),
            ("If-None-Match", "\"other\"", None),
            ("If-None-Match", "tag", None),
            ("If-Modified-Since", MODIFIED, Some(Status::NotModified)),
            ("If-Modified-Since", AFTER, Some(Status::NotModified)),
            ("If-Modified-Since", BEFORE, None),
            ("If-Modified-Since", "yesterday", None),
            ("If-Match", "\"tag\"", None),
            ("If-Match", "*", None),
            ("If-Match", "W/\"tag\"", Some(Status::PreconditionFailed)),
            ("If-Match", "\"other\"", Some(Status::PreconditionFailed)),
            ("If-Unmodified-Since", MODIFIED, None),
            ("If-Unmodified-Since", BEFORE, Some(Status::PreconditionFailed)),
        ] {
            assert_eq!(check(name, value), expected, "{name}: {value}");
        }
    }

    #[test]
    fn a_tag_says_more_than_a_date() {
        let both = [("If-None-Match", "\"other\""), ("If-Modified-Since", AFTER)];
        assert_eq!(conditions(&both).check(&file()), None);
        let both = [("If-Match", "\"tag\""), ("If-Unmodified-Since", BEFORE)];
        assert_eq!(conditions(&both).check(&file()), None);
    }

    #[test]
    fn a_range_is_of_the_state_that_the_client_knows() {
        let allows = |value| conditions(&[("If-Range", value)]).allow_range(&file());
        assert!(conditions(&[]).allow_range(&file()));
        assert!(allows("\"tag\""));
        assert!(!allows("W/\"tag\""));
        assert!(!allows("\"other\""));
        assert!(allows(MODIFIED));
        assert!(!allows(AFTER), "a date must be exactly the file's");
        assert!(!allows("yesterday"));
    }

    #[test]
    fn times_that_no_header_can_say_are_left_out() {
        let half = Duration::from_millis(1500);
        assert_eq!(in_seconds(UNIX_EPOCH + half), Some(UNIX_EPOCH + Duration::from_secs(1)));
        assert_eq!(in_seconds(UNIX_EPOCH - half), None);
        let year_9999 = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
        assert_eq!(in_seconds(year_9999), Some(year_9999));
        assert_eq!(in_seconds(year_9999 + Duration::from_secs(1)), None);
    }
}
