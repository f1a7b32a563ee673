//! A second opinion: the answers that a sequence of bytes should get. It's written from RFC 9110
//! and 9112 alone, works on whole lines, and shares only the values of the limits with the server.

use crate::support::FILES;

/// The answer that a request should get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// This status, with this body if there is one; after that, the connection stays open.
    Answer { status: u16, body: Option<Vec<u8>>, to_head: bool },
    /// The same as `Answer`, but the connection is closed afterwards.
    Last { status: u16, body: Option<Vec<u8>>, to_head: bool },
    /// A refusal, because these bytes aren't a request. The refusal may mention any of these bytes'
    /// mistakes.
    Refused,
    /// Usually no answer: the client has stopped in the middle of a request. If the part it sent is
    /// already invalid, the answer is a refusal.
    Nothing,
}

const REQUEST_LINE: usize = 8 * 1024;
const HEAD: usize = 16 * 1024;
const FIELDS: usize = 64;

/// Returns the answers that a client should get if it sends these bytes and then closes its sending
/// side.
pub(crate) fn expected(mut bytes: &[u8]) -> Vec<Expected> {
    let mut answers = Vec::new();
    loop {
        while let Some(rest) = bytes.strip_prefix(b"\r\n") {
            bytes = rest;
        }
        if bytes.is_empty() {
            return answers;
        }
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            answers.push(Expected::Nothing);
            return answers;
        };
        let (head, rest) = bytes.split_at(end + 4);
        let answer = if head.len() > HEAD { None } else { answer_to(&head[..end]) };
        let answer = answer.unwrap_or(Expected::Refused);
        let stays_open = matches!(answer, Expected::Answer { .. });
        answers.push(answer);
        if !stays_open {
            return answers;
        }
        bytes = rest;
    }
}

/// Returns the answer to a head, given without its last two line ends, or `None` if the head is
/// malformed.
fn answer_to(head: &[u8]) -> Option<Expected> {
    let mut lines = Vec::new();
    for line in head.split(|&byte| byte == b'\n') {
        lines.push(line);
    }
    let last = lines.len() - 1;
    for line in &mut lines[..last] {
        *line = line.strip_suffix(b"\r")?;
    }
    if lines.iter().any(|line| line.contains(&b'\r')) || lines[0].len() + 2 > REQUEST_LINE {
        return None;
    }
    let mut words = lines[0].split(|&byte| byte == b' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !is_token(method) {
        return None;
    }
    let is_1_0 = match version {
        b"HTTP/1.1" => false,
        b"HTTP/1.0" => true,
        _ => return None,
    };
    if target.is_empty()
        || str::from_utf8(target).is_err()
        || target.iter().any(|byte| *byte <= b' ' || *byte == 127)
    {
        return None;
    }
    if lines.len() - 1 > FIELDS {
        return None;
    }
    let mut fields = Vec::new();
    for line in &lines[1..] {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        if !is_token(name)
            || value.iter().any(|&byte| byte != b'\t' && (byte < b' ' || byte == 127))
        {
            return None;
        }
        fields.push((name.to_ascii_lowercase(), value.trim_ascii().to_vec()));
    }
    let fields = Fields(fields);
    let closes = fields.close(is_1_0)?;
    let (status, body) = content(method, target, &fields);
    let to_head = method == b"HEAD";
    Some(if closes || status == 400 {
        Expected::Last { status, body, to_head }
    } else {
        Expected::Answer { status, body, to_head }
    })
}

fn is_token(bytes: &[u8]) -> bool {
    let is_token_byte =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !bytes.is_empty() && bytes.iter().all(is_token_byte)
}

struct Fields(Vec<(Vec<u8>, Vec<u8>)>);

impl Fields {
    fn all(&self, name: &str) -> Vec<&[u8]> {
        let named = self.0.iter().filter(|(it, _)| it == name.as_bytes());
        named.map(|(_, value)| &**value).collect()
    }

    /// Returns the items of the lists in all fields with this name, except for values that aren't
    /// text.
    fn tags(&self, name: &str) -> Vec<&str> {
        let lists = self.all(name).into_iter().filter_map(|list| str::from_utf8(list).ok());
        lists
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .filter(|tag| !tag.is_empty())
            .collect()
    }

    fn has_body(&self) -> bool {
        let length = self.all("content-length");
        !self.all("transfer-encoding").is_empty()
            || length.first().is_some_and(|length| length.iter().any(|digit| *digit != b'0'))
    }

    /// Returns true if the connection is closed after the answer, or `None` if it's unclear where
    /// this request ends.
    fn close(&self, is_1_0: bool) -> Option<bool> {
        match *self.all("host") {
            [] if is_1_0 => {}
            [host]
                if host
                    .iter()
                    .all(|&byte| byte.is_ascii_alphanumeric() || IN_HOST.contains(&byte)) => {}
            _ => return None,
        }
        let length = self.all("content-length");
        match *length {
            [] => {}
            [digits] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {}
            _ => return None,
        }
        match *self.all("transfer-encoding") {
            [] => {}
            [coding] if coding.eq_ignore_ascii_case(b"chunked") && length.is_empty() && !is_1_0 => {
            }
            _ => return None,
        }
        let mut options = Vec::new();
        for value in self.all("connection") {
            // A value that isn't text is ignored.
            let text = str::from_utf8(value).unwrap_or_default().to_ascii_lowercase();
            options.extend(text.split(',').map(|option| option.trim().to_owned()));
        }
        let has = |option: &str| options.iter().any(|it| it == option);
        Some(self.has_body() || has("close") || is_1_0 && !has("keep-alive"))
    }
}

const IN_HOST: &[u8] = b"-._~!$&'()*+,;=:[]%";

/// Returns the status with the body, if the body comes from a file.
fn content(method: &[u8], target: &[u8], fields: &Fields) -> (u16, Option<Vec<u8>>) {
    if method != b"GET" && method != b"HEAD" {
        return (405, None);
    }
    if fields.has_body() {
        return (413, None);
    }
    let path = match path(target) {
        Ok(path) => path,
        Err(status) => return (status, None),
    };
    let is_directory = path.is_empty() || path.ends_with('/');
    let name = if is_directory { format!("{path}index.html") } else { path };
    let Some((_, file)) = FILES.iter().find(|(it, _)| *it == name) else {
        return (if name == "sub" { 301 } else { 404 }, None);
    };
    let wanted = fields.tags("if-match");
    if !wanted.is_empty() && !wanted.contains(&"*") {
        return (412, None);
    }
    if fields.tags("if-none-match").contains(&"*") {
        return (304, None);
    }
    // No random request contains a file's real date or tag, so a range with a condition belongs to
    // a different file.
    let other_file = matches!(*fields.all("if-range"), [only] if str::from_utf8(only).is_ok());
    match *fields.all("range") {
        [range] if method == b"GET" && !other_file => part(range, file),
        _ => (200, Some(file.to_vec())),
    }
}

fn part(range: &[u8], file: &[u8]) -> (u16, Option<Vec<u8>>) {
    let all = (200, Some(file.to_vec()));
    let Ok(range) = str::from_utf8(range) else { return all };
    let Some(begin) = range.get(..6) else { return all };
    let Some((first, last)) = range[6..].split_once('-') else { return all };
    let (first, last) = (first.trim_start(), last.trim_end());
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = |text: &str| text.parse::<usize>().unwrap_or(usize::MAX);
    if !begin.eq_ignore_ascii_case("bytes=") {
        return all;
    }
    let indices: Vec<usize> = (0..file.len()).collect();
    let kept: Vec<u8> = match (digits(first), digits(last)) {
        (true, true) if value(first) > value(last) => return all,
        (true, true) => {
            let wanted = |&&index: &&usize| index >= value(first) && index <= value(last);
            indices.iter().filter(wanted).map(|&index| file[index]).collect()
        }
        (true, false) if last.is_empty() => indices
            .iter()
            .filter(|index| **index >= value(first))
            .map(|&index| file[index])
            .collect(),
        (false, true) if first.is_empty() => {
            let wanted = |index: &&usize| file.len() - **index <= value(last);
            indices.iter().filter(wanted).map(|&index| file[index]).collect()
        }
        _ => return all,
    };
    if kept.is_empty() { (416, None) } else { (206, Some(kept)) }
}

/// Returns the path in its shortest form, without the first slash.
fn path(target: &[u8]) -> Result<String, u16> {
    let target = str::from_utf8(target).map_err(|_| 400_u16)?;
    if !target.is_ascii() || target.contains('#') {
        return Err(400);
    }
    let lower = target.to_ascii_lowercase();
    let authority = ["http://", "https://"].iter().find(|scheme| lower.starts_with(**scheme));
    let target = match authority {
        Some(scheme) => target[scheme.len()..].trim_start_matches(|it| it != '/' && it != '?'),
        None if target.starts_with('/') => target,
        None => return Err(400),
    };
    let encoded = target.split('?').next().unwrap_or_default();
    let mut names = Vec::new();
    for name in encoded.split('/') {
        let name = decode(name)?;
        match name.as_slice() {
            name if name.contains(&0) => return Err(400),
            name if name.contains(&b'/') => return Err(404),
            b".." => return Err(403),
            b"" | b"." => names.push(String::new()),
            name => {
                names.retain(|it: &String| !it.is_empty());
                names.push(String::from_utf8_lossy(name).into_owned());
            }
        }
    }
    let ends_with_a_slash = names.last().is_some_and(String::is_empty);
    names.retain(|it| !it.is_empty());
    let path = names.join("/");
    Ok(if ends_with_a_slash && !path.is_empty() { path + "/" } else { path })
}

fn decode(name: &str) -> Result<Vec<u8>, u16> {
    let mut decoded = Vec::new();
    let mut bytes = name.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next().unwrap_or(b'x')).to_digit(16).ok_or(400_u16);
        let value = digit()? * 16 + digit()?;
        decoded.push(u8::try_from(value).unwrap_or_default());
    }
    Ok(decoded)
}
