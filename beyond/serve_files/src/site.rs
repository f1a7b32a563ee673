//! Turns a request into an answer.

use std::rc::Rc;

use asyncio::Result;

use crate::content_type::content_type;
use crate::file::File;
use crate::range::Wanted;
use crate::request::{Method, Request};
use crate::response::{Form, Response};
use crate::root::{Found, Root};
use crate::status::Status;

/// The name of the page that's sent instead of a missing page, as on many hosts for static sites.
const MISSING: &str = "404.html";

/// Answers requests with a directory's files.
#[derive(Debug)]
pub(crate) struct Site {
    root: Root,
}

impl Site {
    pub(crate) fn new(root: Root) -> Self {
        Site { root }
    }

    /// Returns the answer to a request. If `closes` is true, the connection is closed after the
    /// answer, no matter what the client wants.
    pub(crate) async fn answer(&self, request: &Request, closes: bool) -> Result<Response> {
        let mut form = Form::new(request.method == Method::Head, request.framing);
        form.closes |= closes;
        if request.method == Method::Other {
            let allow = [("Allow", "GET, HEAD")];
            return Ok(Response::refusal(Status::MethodNotAllowed, form, &allow));
        }
        if request.framing.has_body {
            return Ok(Response::refusal(Status::ContentTooLarge, form, &[]));
        }
        let target = match &request.target {
            Ok(target) => target,
            Err(status) => {
                // Without a valid target, the bytes may not be a request at all, so close the
                // connection.
                form.closes |= *status == Status::BadRequest;
                return Ok(Response::refusal(*status, form, &[]));
            }
        };
        let path = target.file();
        Ok(match self.root.find(&path).await? {
            Found::File(file) => serve(request, form, file, content_type(&path)),
            Found::Directory if !target.is_directory => {
                // Redirect, so that relative links on the directory's pages work.
                Response::redirect(form, &target.as_directory())
            }
            // An index page that's itself a directory can't be served.
            Found::Directory | Found::Nothing(Status::NotFound) => self.missing(form).await?,
            Found::Nothing(status) => Response::refusal(status, form, &[]),
        })
    }

    /// Returns the answer for a page that doesn't exist. The answer contains the site's own page
    /// for this case if there is one.
    async fn missing(&self, form: Form) -> Result<Response> {
        Ok(match self.root.find(MISSING.as_bytes()).await? {
            Found::File(page) => Response::missing(form, page, content_type(MISSING.as_bytes())),
            Found::Directory | Found::Nothing(_) => Response::refusal(Status::NotFound, form, &[]),
        })
    }
}

fn serve(request: &Request, form: Form, file: Rc<File>, content_type: &str) -> Response {
    match request.conditions.check(&file.validators) {
        Some(Status::NotModified) => return Response::not_modified(form, &file),
        Some(status) => return Response::refusal(status, form, &[]),
        None => {}
    }
    // Ranges are defined only for GET.
    let range = request.range.as_deref().filter(|_| request.method == Method::Get);
    let range = range.filter(|_| request.conditions.allow_range(&file.validators));
    match range.map_or(Wanted::All, |range| Wanted::of(range, file.size)) {
        Wanted::All => Response::file(form, file, None, content_type),
        Wanted::Part(part) => Response::file(form, file, Some(part), content_type),
        Wanted::Unsatisfiable => {
            let size = format!("bytes */{}", file.size);
            let fields = [("Content-Range", size.as_str())];
            Response::refusal(Status::RangeNotSatisfiable, form, &fields)
        }
    }
}
