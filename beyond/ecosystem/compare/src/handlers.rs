//! The pages that both servers serve, from the same `Router`.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use hyper::rt::Timer;

/// The content of the page at `/` and of the file that `serve_files` serves.
pub(crate) const HELLO: &str = "hello from a handler\n";

/// Returns the pages. All they need from the runtime is a timer that implements hyper's trait.
pub(crate) fn pages(timer: impl Timer + Clone + Send + Sync + 'static) -> Router {
    Router::new()
        .route("/", get(async || HELLO))
        .route("/hello.txt", get(async || HELLO))
        .route("/echo", post(async |body: Bytes| body))
        .route("/stream", post(async |body: Body| body))
        .route("/json/{number}", get(json))
        .route("/pieces/{count}", get(pieces))
        .route("/big", get(async || "x".repeat(4 << 20)))
        .route("/panic", get(async || -> &'static str { panic!("on purpose") }))
        .route(
            "/sleep/{milliseconds}",
            get(async move |Path(milliseconds): Path<u64>| {
                timer.sleep(Duration::from_millis(milliseconds)).await;
                "slept\n"
            }),
        )
}

async fn json(Path(number): Path<u64>, headers: HeaderMap) -> impl IntoResponse {
    Json((number, headers.len()))
}

/// Returns a body in pieces. Its length isn't known in advance, so it's sent in chunks.
async fn pieces(Path(count): Path<usize>) -> impl IntoResponse {
    let pieces = (0..count.min(100)).map(|number| Ok::<_, Infallible>(format!("piece {number}\n")));
    Body::from_stream(stream::iter(pieces))
}
