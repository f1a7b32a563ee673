//! The server as a program: it stops by Ctrl-C.

use std::io::{self, Write};

use step01_fd::raise_descriptor_limit;

use crate::EchoServer;

/// Serves on 127.0.0.1 until SIGINT (Ctrl-C) or SIGTERM. Port 0 lets the kernel choose a free one.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    let mut server = EchoServer::bind(port)?;
    server.stop_on_signals()?;
    println!("listening on {}", server.local_addr()?);
    io::stdout().flush()?;
    server.run()
}
