//! HTTPS on the loop: hyper runs on rustls, which runs on the socket by way of `futures-rustls`.
//!
//! ```text
//! cargo run --example tls -- 8443 FILE          serves, and writes its certificate to FILE
//! curl --cacert FILE https://localhost:8443/
//! cargo run --example tls -- 8443 FILE get      fetches the page, with a client on the loop
//! ```

mod program;

use std::fs;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use asyncio::{Error, Result, TcpListener, TcpStream};
use axum::Router;
use axum::routing::get;
use ecosystem::{Io, Serve, Tower, cancellable};
use futures_rustls::pki_types::pem::PemObject;
use futures_rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use futures_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use futures_rustls::{TlsAcceptor, TlsConnector};
use futures_util::{AsyncReadExt, AsyncWriteExt};

fn main() -> ExitCode {
    let address = program::address(8443);
    let mut words = std::env::args().skip(2);
    let Some(file) = words.next() else {
        eprintln!("usage: tls PORT FILE [get]");
        return ExitCode::from(2);
    };
    match words.next() {
        Some(_) => program::start(fetch(address, file)),
        None => program::start(serve(address, file)),
    }
}

async fn serve(address: SocketAddr, file: String) -> Result<()> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
    let made = made.map_err(Error::other)?;
    fs::write(file, made.cert.pem())?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .map_err(Error::other)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let pages = Router::new().route("/", get(async || "hello, in secret\n"));
    let listener = TcpListener::bind(address)?;
    println!("listening on https://localhost:{}/", listener.local_addr()?.port());
    let handshake = async move |io| acceptor.accept(io).await;
    Serve::default().run_over(listener, Tower(pages), handshake).await
}

/// Sends a request by hand: rustls's stream is read and written like any other connection.
async fn fetch(address: SocketAddr, file: String) -> Result<()> {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(file).map_err(Error::other)?;
    roots.add(certificate).map_err(Error::other)?;
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(Error::other)?;
    let stream = TcpStream::connect(address).await?;
    let answer = cancellable(async {
        let connecting = TlsConnector::from(Arc::new(config)).connect(name, Io::from(stream));
        let mut tls = connecting.await?;
        tls.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
        let mut answer = String::new();
        tls.read_to_string(&mut answer).await?;
        std::io::Result::Ok(answer)
    });
    print!("{}", answer.await??);
    Ok(())
}
