//! Chooses a file's content type by the extension of its name.

/// The content types of the files that a site usually has. Any other file is sent as
/// `application/octet-stream`, which a browser offers to save.
const TYPES: [(&str, &str); 29] = [
    ("avif", "image/avif"),
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("md", "text/markdown; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("mp4", "video/mp4"),
    ("otf", "font/otf"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// Returns the content type for the file at `path`.
pub(crate) fn content_type(path: &[u8]) -> &'static str {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let mut parts = name.rsplitn(2, |&byte| byte == b'.');
    let extension = parts.next().filter(|_| parts.next().is_some()).unwrap_or_default();
    let known = TYPES.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known.as_bytes()));
    known.map_or("application/octet-stream", |(_, content_type)| content_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_the_name_decides() {
        assert_eq!(content_type(b"a/b.HTML"), "text/html; charset=utf-8");
        assert_eq!(content_type(b"a.tar.gz"), "application/gzip");
        assert_eq!(content_type(b"html"), "application/octet-stream");
        assert_eq!(content_type(b"a.html/b"), "application/octet-stream");
        assert_eq!(content_type(b"a."), "application/octet-stream");
        assert_eq!(content_type(b""), "application/octet-stream");
    }
}
