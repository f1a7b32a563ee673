//! Under construction.

/// The echo server on the loop so far.
pub fn serve(_port: u16) -> std::io::Result<()> {
    Err(std::io::Error::other("under construction"))
}
