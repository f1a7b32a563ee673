//! Under construction.
use std::io;
/// The echo server on the loop so far.
pub fn serve(_port: u16) -> io::Result<()> {
    Err(io::Error::other("under construction"))
}
/// Under construction.
#[derive(Debug)]
pub struct EchoServer;
