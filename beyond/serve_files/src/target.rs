//! Turns a request's target into the path of a file, relative to the root.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::status::Status;

/// The characters that are encoded in a path: all except ASCII letters, digits and `-._~/`.
const IN_A_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The name of the page that's served for a directory.
const INDEX: &[u8] = b"index.html";

/// The target of a request: a path and a query.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The names, joined with slashes. The path is empty for the root itself.
    path: Vec<u8>,
    /// True if the last name in the target was empty or `.`, so the target names a directory.
    pub(crate) is_directory: bool,
    /// The query, including its question mark, as the client sent it.
    query: String,
}

impl Target {
    /// Parses a target such as `/a/b%20c?d`, or the same text preceded by `http://host`, a form
    /// that's meant for proxies but that RFC 9112, 3.2, requires servers to accept.
    ///
    /// An invalid target is refused with 400. ".." is refused with 403: clients resolve it before
    /// they send the target, so here it's a mistake or an attack. A name can't contain a slash, so
    /// an encoded slash is refused with 404.
    pub(crate) fn parse(target: &str) -> Result<Self, Status> {
        if target.bytes().any(|byte| !byte.is_ascii_graphic() || byte == b'#') {
            return Err(Status::BadRequest);
        }
        let path_and_query = without_authority(target).ok_or(Status::BadRequest)?;
        let query_begins = path_and_query.find('?').unwrap_or(path_and_query.len());
        let (encoded, query) = path_and_query.split_at(query_begins);

        let mut path = Vec::with_capacity(encoded.len() + INDEX.len());
        let mut is_directory = true;
        for name in encoded.split('/') {
            let name = decode(name)?;
            is_directory = matches!(&*name, b"" | b".");
            if is_directory {
                continue;
            }
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend(name);
        }
        Ok(Target { path, is_directory, query: query.to_owned() })
    }

    /// Returns the path of the file to open. For a directory, that's the path of its index page.
    pub(crate) fn file(&self) -> Vec<u8> {
        let mut file = self.path.clone();
        if self.is_directory {
            if !file.is_empty() {
                file.push(b'/');
            }
            file.extend(INDEX);
        }
        file
    }

    /// Returns the same target with a slash at the end of its path. The result is assembled from
    /// the names, so it begins with a single slash: a browser would treat "//example.org/" as a
    /// different host.
    pub(crate) fn as_directory(&self) -> String {
        format!("/{}/{}", percent_encode(&self.path, IN_A_PATH), self.query)
    }
}

fn without_authority(target: &str) -> Option<&str> {
    if target.starts_with('/') {
        return Some(target);
    }
    let (scheme, rest) = target.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let path_begins = rest.find(['/', '?']).unwrap_or(rest.len());
    Some(&rest[path_begins..])
}

fn decode(name: &str) -> Result<Vec<u8>, Status> {
    let digits_follow = |percent: usize| {
        let digits = name.as_bytes().get(percent + 1..percent + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    // Our decoder keeps a percent sign that it can't decode, but other programs might not.
    if !name.match_indices('%').all(|(percent, _)| digits_follow(percent)) {
        return Err(Status::BadRequest);
    }
    let name: Vec<u8> = percent_decode_str(name).collect();
    if name.contains(&0) {
        return Err(Status::BadRequest);
    }
    if name.contains(&b'/') {
        return Err(Status::NotFound);
    }
    if name == b".." { Err(Status::Forbidden) } else { Ok(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_stays_on_this_host() {
        let redirect = |target| Target::parse(target).map(|target| target.as_directory());
        assert_eq!(redirect("/a%20b?c=d"), Ok("/a%20b/?c=d".to_owned()));
        assert_eq!(redirect("//example.org"), Ok("/example.org/".to_owned()));
        assert_eq!(redirect("/%0d%0aa"), Ok("/%0D%0Aa/".to_owned()));
    }
}
