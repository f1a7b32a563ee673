//! The statuses that this server's answers can have.

/// A status code, as in RFC 9110, section 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok = 200,
    PartialContent = 206,
    MovedPermanently = 301,
    NotModified = 304,
    BadRequest = 400,
    Forbidden = 403,
    NotFound = 404,
    MethodNotAllowed = 405,
    RequestTimeout = 408,
    PreconditionFailed = 412,
    ContentTooLarge = 413,
    UriTooLong = 414,
    RangeNotSatisfiable = 416,
    HeaderFieldsTooLarge = 431,
    InternalServerError = 500,
    ServiceUnavailable = 503,
    VersionNotSupported = 505,
}

impl Status {
    /// Returns the code and the reason phrase, as in a status line.
    pub(crate) fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::PartialContent => "206 Partial Content",
            Status::MovedPermanently => "301 Moved Permanently",
            Status::NotModified => "304 Not Modified",
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::MethodNotAllowed => "405 Method Not Allowed",
            Status::RequestTimeout => "408 Request Timeout",
            Status::PreconditionFailed => "412 Precondition Failed",
            Status::ContentTooLarge => "413 Content Too Large",
            Status::UriTooLong => "414 URI Too Long",
            Status::RangeNotSatisfiable => "416 Range Not Satisfiable",
            Status::HeaderFieldsTooLarge => "431 Request Header Fields Too Large",
            Status::InternalServerError => "500 Internal Server Error",
            Status::ServiceUnavailable => "503 Service Unavailable",
            Status::VersionNotSupported => "505 HTTP Version Not Supported",
        }
    }
}
