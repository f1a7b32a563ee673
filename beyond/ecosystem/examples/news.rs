//! An axum server on the loop: JSON, server-sent events, and a graceful shutdown on Ctrl-C.
//!
//! Run `cargo run --example news`, and in a second terminal:
//!
//! ```text
//! curl -N http://127.0.0.1:8000/events
//! curl -H 'content-type: application/json' -d '{"text":"hello"}' http://127.0.0.1:8000/news
//! ```

mod program;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_channel::{Receiver, Sender, unbounded};
use asyncio::{Result, TcpListener, sleep};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use axum::{Json, Router};
use ecosystem::{Errands, LoopTimer, Serve, Tower, on_this_thread};
use futures_util::Stream;
use futures_util::future::{Either, select};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};

const PAGE: &str = r#"<!doctype html>
<title>News</title>
<h1>News</h1>
<form><input name="text" autofocus> <button>Tell all</button></form>
<ul></ul>
<script>
new EventSource("/events").onmessage = event => {
    const item = document.createElement("li");
    item.textContent = JSON.parse(event.data).text;
    document.querySelector("ul").prepend(item);
};
document.querySelector("form").onsubmit = event => {
    event.preventDefault();
    const text = event.target.text.value;
    fetch("/news", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) });
    event.target.reset();
};
</script>
"#;

fn main() -> ExitCode {
    program::start(serve(program::address(8000)))
}

async fn serve(address: SocketAddr) -> Result<()> {
    let naps = Errands::start(async |length| {
        sleep(length).await?;
        Ok("a task of the loop has slept\n")
    })?;
    let news = News::default();
    let pages = Router::new()
        .route("/", get(async || Html(PAGE)))
        .route("/news", get(list).post(publish))
        .route("/events", get(events))
        .route("/sleep/{milliseconds}", get(sleep_here))
        .with_state(news)
        .merge(Router::new().route("/errand/{milliseconds}", get(sleep_there)).with_state(naps));
    let listener = TcpListener::bind(address)?;
    println!("listening on http://{}/", listener.local_addr()?);
    Serve::default().run(listener, Tower(pages)).await
}

/// The published items and the listeners. axum requires `Send` and `Sync`, so there's a lock,
/// although no other thread ever takes it.
#[derive(Clone, Default)]
struct News(Arc<Mutex<Published>>);

#[derive(Default)]
struct Published {
    items: Vec<Item>,
    listeners: Vec<Sender<Item>>,
}

#[derive(Clone, Serialize)]
struct Item {
    number: usize,
    text: String,
}

#[derive(Deserialize)]
struct New {
    text: String,
}

impl News {
    fn with<T>(&self, act: impl FnOnce(&mut Published) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn list(State(news): State<News>) -> impl IntoResponse {
    Json(news.with(|published| published.items.clone()))
}

async fn publish(State(news): State<News>, Json(New { text }): Json<New>) -> impl IntoResponse {
    let item = news.with(|Published { items, listeners }| {
        let item = Item { number: items.len() + 1, text };
        items.push(item.clone());
        // Remove the listeners that have left.
        listeners.retain(|listener| listener.try_send(item.clone()).is_ok());
        item
    });
    (StatusCode::CREATED, Json(item))
}

async fn events(State(news): State<News>) -> impl IntoResponse {
    let (sender, receiver) = unbounded();
    news.with(|published| published.listeners.push(sender));
    Sse::new(kept_alive(receiver))
}

/// The time after which a silent stream sends a keep-alive comment. A proxy may close a connection
/// that stays silent for longer, and we notice that a client has left only when we send something.
const SILENCE: Duration = Duration::from_secs(15);

// ANCHOR: kept_alive
/// Returns the items as events, with a comment whenever no item has come for a while. axum's own
/// keep-alive needs tokio's timer.
fn kept_alive(items: Receiver<Item>) -> impl Stream<Item = std::result::Result<Event, Infallible>> {
    unfold(items, async |items| {
        let event = match select(Box::pin(items.recv()), LoopTimer.sleep(SILENCE)).await {
            Either::Left((Ok(item), _)) => Event::default().json_data(item).unwrap_or_default(),
            Either::Left((Err(_), _)) => return None,
            Either::Right(_) => Event::default().comment(""),
        };
        Some((Ok(event), items))
    })
}
// ANCHOR_END: kept_alive

// ANCHOR: sends
/// Sleeps in the handler itself. The wrapper checks that the handler stays on the loop's thread.
async fn sleep_here(Path(milliseconds): Path<u64>) -> impl IntoResponse {
    let slept = on_this_thread(sleep(Duration::from_millis(milliseconds))).await;
    slept.map(|()| "the handler has slept\n").map_err(|_| StatusCode::SERVICE_UNAVAILABLE)
}

/// Asks a task of the loop to sleep and waits for its answer.
async fn sleep_there(
    State(naps): State<Errands<Duration, &'static str>>,
    Path(milliseconds): Path<u64>,
) -> impl IntoResponse {
    naps.ask(Duration::from_millis(milliseconds)).await.ok_or(StatusCode::SERVICE_UNAVAILABLE)
}
// ANCHOR_END: sends
