//! The server of `on_your_loop.rs`, but on tokio's current-thread runtime: each of hyper's
//! connections runs in a separate task, with the same limits as on our loop.

use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use asyncio::Result;
use ecosystem::Tower;
use futures_util::future::{Either, select};
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use crate::child::listening;
use crate::handlers::pages;
use crate::secret;

pub(crate) fn serve(argument: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve_all(argument))
}

async fn serve_all(argument: &str) -> Result<()> {
    let acceptor = match argument {
        "tls" => Some(TlsAcceptor::from(Arc::new(secret::server_config()?))),
        _ => None,
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    listening(listener.local_addr()?)?;
    let service = Tower(pages(TokioTimer::new()));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(30));
    http.auto_date_header(false);
    let is_ending = Arc::new(Notify::new());
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        stream.set_nodelay(true)?;
        let (http, service) = (http.clone(), service.clone());
        let (acceptor, is_ending) = (acceptor.clone(), Arc::clone(&is_ending));
        tokio::spawn(async move {
            match acceptor {
                None => serve_one(&http, TokioIo::new(stream), service, &is_ending).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve_one(&http, TokioIo::new(stream), service, &is_ending).await;
                    }
                }
            }
        });
    }
}

/// Serves a connection in the same way as [`ecosystem::Serve`].
async fn serve_one(
    http: &http1::Builder,
    io: impl Read + Write + Unpin,
    service: Tower<axum::Router>,
    is_ending: &Notify,
) {
    let mut connection = pin!(http.serve_connection(io, service));
    if let Either::Right(_) = select(connection.as_mut(), pin!(is_ending.notified())).await {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}
