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

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpStream;
    use std::thread;

    use super::*;

    /// The pages' script knows the server by its name.
    #[test]
    fn the_foot_of_a_page_knows_who_has_sent_it() {
        let theme = Path::new(env!("CARGO_MANIFEST_DIR")).join("theme");
        let server = FileServer::bind(&theme, (Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut client = TcpStream::connect(server.local_addr().unwrap()).unwrap();
        // It ends with the process.
        thread::spawn(|| server.run());
        let request = b"GET /served_by.js HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
        client.write_all(request).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        let (head, script) = answer.split_once("\r\n\r\n").unwrap();
        let name = head.lines().find_map(|line| line.strip_prefix("Server: ")).unwrap();
        assert!(script.contains(&format!("\"{name}\": ")), "{name}");
        assert!(script.contains(&format!("\"{name} (yours)\": ")), "{name}");
    }
}
