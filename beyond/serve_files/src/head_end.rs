//! Finds the end of a request's head before anything is parsed.
//!
//! If two programs disagree about where a request ends, an attacker can make one of them mistake a
//! part of that request for another request: *request smuggling*. Some parsers, including httparse,
//! accept a bare line feed as the end of a line, but some proxies don't. So we refuse bare line
//! feeds, which leaves only one possible end.

/// The result of looking for the end of a head in the bytes received so far.
#[derive(Debug)]
pub(crate) enum HeadEnd {
    /// The end hasn't arrived yet.
    Missing,
    /// The head ends after this many bytes.
    At(usize),
    /// The head contains a line feed without a carriage return, after this many bytes.
    BareLineFeed(usize),
}

impl HeadEnd {
    /// Looks for the first empty line and stops at a bare line feed.
    pub(crate) fn find(bytes: &[u8]) -> Self {
        let mut line_begin = 0;
        while let Some(length) = bytes[line_begin..].iter().position(|&byte| byte == b'\n') {
            let line_feed = line_begin + length;
            match &bytes[line_begin..line_feed] {
                [b'\r'] => return HeadEnd::At(line_feed + 1),
                [.., b'\r'] => line_begin = line_feed + 1,
                _ => return HeadEnd::BareLineFeed(line_feed),
            }
        }
        HeadEnd::Missing
    }
}

/// Returns the number of bytes in the empty lines at the beginning. Some old clients send an extra
/// line end after a request, and RFC 9112, 2.2, advises servers to ignore it.
pub(crate) fn leading_empty_lines(bytes: &[u8]) -> usize {
    bytes.chunks_exact(2).take_while(|pair| pair == b"\r\n").count() * 2
}
