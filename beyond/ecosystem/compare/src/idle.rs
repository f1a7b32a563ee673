//! Measures how much memory an idle connection costs the server after its first request.

use asyncio::{Error, Result, TcpStream};
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::child::Server;
use crate::handlers::HELLO;

pub(crate) async fn measure(connections: usize) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // The children inherit this limit.
    setrlimit(Resource::Nofile, limit).map_err(std::io::Error::from)?;
    println!("memory of the server per idle connection, of {connections}");
    for name in ["loop", "tokio"] {
        let mut server = Server::start(name, "", &[])?;
        // Make one request first, so that resources that are needed only once don't count.
        ask(&TcpStream::connect(server.address).await?).await?;
        let before = server.used()?;
        let mut open = Vec::new();
        for _ in 0..connections {
            let stream = TcpStream::connect(server.address).await?;
            ask(&stream).await?;
            open.push(stream);
        }
        let bytes = (server.used()?.kilobytes - before.kilobytes) * 1024;
        let each = bytes / u64::try_from(connections).map_err(Error::other)?;
        println!("{name:6} {each:6} bytes after a request");
    }
    Ok(())
}

async fn ask(stream: &TcpStream) -> Result<()> {
    stream.write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n").await?;
    let (mut buffer, mut length) = ([0; 4096], 0);
    while !buffer[..length].ends_with(HELLO.as_bytes()) {
        match stream.read(&mut buffer[length..]).await? {
            0 => return Err(Error::other("the server has closed a connection")),
            count => length += count,
        }
    }
    Ok(())
}
