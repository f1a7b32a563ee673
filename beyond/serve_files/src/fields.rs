//! Looks up header fields. The names aren't case-sensitive, and most fields may occur only once.

use httparse::Header;

/// Returns the values of all fields with this name.
pub(crate) fn all<'a>(
    fields: &'a [Header<'a>],
    name: &'static str,
) -> impl Iterator<Item = &'a [u8]> {
    fields.iter().filter(|it| it.name.eq_ignore_ascii_case(name)).map(|it| it.value.trim_ascii())
}

/// Returns the value of the only field with this name, if it's UTF-8. If there are several such
/// fields, all of them are ignored, since we can't tell which one the client means.
pub(crate) fn only<'a>(fields: &'a [Header<'a>], name: &'static str) -> Option<&'a str> {
    let mut values = all(fields, name);
    let value = values.next()?;
    if values.next().is_some() { None } else { str::from_utf8(value).ok() }
}

/// Returns the items of a comma-separated list, which can be spread over several fields with the
/// same name.
pub(crate) fn tokens<'a>(
    fields: &'a [Header<'a>],
    name: &'static str,
) -> impl Iterator<Item = &'a str> {
    let lists = all(fields, name).filter_map(|value| str::from_utf8(value).ok());
    lists.flat_map(|list| list.split(',')).map(str::trim).filter(|token| !token.is_empty())
}
