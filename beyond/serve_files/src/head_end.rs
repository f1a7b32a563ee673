//! Finds the end of a request's head before anything is parsed.
//!
//! If two programs disagree about where a request ends, an attacker can make one of them mistake a
//! part of that request for another request: *request smuggling*. Some parsers, including httparse,
//! accept a bare line feed as the end of a line, but some proxies don't. So we refuse bare line
//! feeds, which leaves only one possible end.

/// The result of looking for the end of a head in the bytes received so far.
#[derive(Debug, PartialEq, Eq)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_ends_with_the_first_empty_line() {
        assert_eq!(HeadEnd::find(b"GET / HTTP/1.1\r\na: b\r\n\r\nrest\n"), HeadEnd::At(24));
        assert_eq!(HeadEnd::find(b"a\r\n\r\nb\r\n\r\n"), HeadEnd::At(5));
    }

    #[test]
    fn an_end_in_parts_is_no_end_yet() {
        let head = b"GET / HTTP/1.1\r\na: b\r\n\r\n";
        for length in 0..head.len() {
            assert_eq!(HeadEnd::find(&head[..length]), HeadEnd::Missing, "{length} bytes");
        }
    }

    #[test]
    fn a_bare_line_feed_is_found_wherever_it_is_in_the_head() {
        assert_eq!(HeadEnd::find(b"\na\r\n\r\n"), HeadEnd::BareLineFeed(0));
        assert_eq!(HeadEnd::find(b"a\n\n"), HeadEnd::BareLineFeed(1));
        assert_eq!(HeadEnd::find(b"a\r\nb\n\r\n"), HeadEnd::BareLineFeed(4));
        assert_eq!(HeadEnd::find(b"a\r\n\nb"), HeadEnd::BareLineFeed(3));
    }

    #[test]
    fn empty_lines_before_a_request_are_counted() {
        assert_eq!(leading_empty_lines(b""), 0);
        assert_eq!(leading_empty_lines(b"\r"), 0);
        assert_eq!(leading_empty_lines(b"\r\n\r\nGET"), 4);
        assert_eq!(leading_empty_lines(b"\n\r\n"), 0);
    }
}
