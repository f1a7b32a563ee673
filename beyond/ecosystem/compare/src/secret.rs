//! Measures processor time per TLS handshake. Every handshake is a full one: no session is resumed.

use std::net::SocketAddr;
use std::sync::Arc;

use asyncio::{Error, Result, TcpStream, gather};
use ecosystem::Io;
use futures_rustls::TlsConnector;
use futures_rustls::pki_types::pem::PemObject;
use futures_rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use futures_rustls::rustls::client::Resumption;
use futures_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use futures_util::{AsyncReadExt, AsyncWriteExt};

use crate::child::Server;
use crate::on_the_loop;
use crate::pace::{interleaved, report};

const CLIENTS: usize = 8;
const HANDSHAKES_PER_CLIENT: usize = 25;
/// The environment variable that passes the certificate and its key to the servers.
const VARIABLE: &str = "COMPARE_CERTIFICATE";

pub(crate) fn run_pairs(pairs: usize) -> Result<()> {
    let made =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).map_err(Error::other)?;
    let pem = made.cert.pem() + &made.signing_key.serialize_pem();
    let names = ["tokio", "loop", "loop again"];
    let mut servers = Vec::new();
    for name in names {
        let kind = name.split(' ').next().unwrap_or_default();
        servers.push(Server::start(kind, "tls", &[(VARIABLE, &pem)])?);
    }
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).map_err(Error::other)?;
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.resumption = Resumption::disabled();
    let config = Arc::new(config);
    let rounds = interleaved(pairs, &mut servers, |server| {
        let (address, config) = (server.address, Arc::clone(&config));
        on_the_loop(async move {
            gather((0..CLIENTS).map(|_| shake_hands(address, Arc::clone(&config))))?.await?;
            Ok(())
        })
    })?;
    let count = CLIENTS * HANDSHAKES_PER_CLIENT;
    println!(
        "TLS 1.3 with rustls and ring: {pairs} rounds of {count} handshakes and one request each"
    );
    report(&names, &rounds, count, "handshake");
    Ok(())
}

async fn shake_hands(address: SocketAddr, config: Arc<ClientConfig>) -> Result<()> {
    for _ in 0..HANDSHAKES_PER_CLIENT {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::try_from("localhost").map_err(Error::other)?;
        let mut tls =
            TlsConnector::from(Arc::clone(&config)).connect(name, Io::from(stream)).await?;
        tls.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
        let mut answer = Vec::new();
        tls.read_to_end(&mut answer).await?;
    }
    Ok(())
}

/// Returns the TLS configuration for both servers.
pub(crate) fn server_config() -> Result<ServerConfig> {
    let pem = std::env::var(VARIABLE).map_err(Error::other)?;
    let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(Error::other)?;
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(Error::other)?;
    ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .map_err(Error::other)
}
