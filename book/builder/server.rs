//! `-- serve`: serves the built book on 127.0.0.1, on the loop of step 07.
//!
//! A page says so at its foot: `theme/served_by.js` asks who has sent it.

use std::io::{Write, stdout};
use std::net::Ipv4Addr;
use std::path::Path;

use anyhow::{Context, Result};
use serve_files::FileServer;

/// Serves the pages until Ctrl-C. Port 0 lets the kernel choose a free one. The pages can be built
/// again meanwhile.
pub(crate) fn serve(pages: &Path, port: u16) -> Result<()> {
    let server = FileServer::bind(pages, (Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("can't serve {} on 127.0.0.1:{port}", pages.display()))?;
    writeln!(stdout(), "The book is at http://{}/  (Ctrl-C ends it)", server.local_addr()?)?;
    Ok(server.run()?)
}
