//! The servers that run on our loop.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use asyncio::{Error, Result, TcpListener, get_running_loop};
use ecosystem::{LoopTimer, Serve, Tower};
use futures_rustls::TlsAcceptor;
use serve_files::FileServer;

use crate::child::listening;
use crate::handlers::pages;
use crate::{on_the_loop, secret};

pub(crate) fn serve(argument: &str) -> Result<()> {
    let argument = argument.to_owned();
    on_the_loop(async move {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        // Don't report the handlers' panics, which are intentional.
        get_running_loop()?.set_exception_handler(|_| ());
        listening(listener.local_addr()?)?;
        let service = Tower(pages(LoopTimer));
        let serve = Serve::default().with_http(|http| {
            http.auto_date_header(false);
        });
        if argument == "tls" {
            let acceptor = TlsAcceptor::from(Arc::new(secret::server_config()?));
            let handshake = async move |io| acceptor.accept(io).await;
            return serve.run_over(listener, service, handshake).await;
        }
        serve.run(listener, service).await
    })
}

pub(crate) fn serve_files(directory: &str) -> Result<()> {
    let server = FileServer::bind(Path::new(directory), (Ipv4Addr::LOCALHOST, 0))?;
    listening(server.local_addr()?)?;
    server.run().map_err(Error::from)
}
