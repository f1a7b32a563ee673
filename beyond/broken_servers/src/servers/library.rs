//! A library: sends each client a long book, part by part, so that it can serve a thousand readers
//! at the same time.

use std::path::PathBuf;
use std::rc::Rc;

use asyncio::{Result, UnixListener, UnixStream, create_task, yield_now};

use crate::{name_this_task, use_the_usual_settings};

/// The size of the library's book.
const BOOK: usize = 4 * 1024 * 1024;

/// The number of bytes in each part.
const PART: usize = 256 * 1024;

/// Serves until the loop ends.
pub async fn serve(path: PathBuf) -> Result<()> {
    let listener = UnixListener::bind(path)?;
    let words = (1..).flat_map(|number| format!("whale {number} ").into_bytes());
    let book: Rc<[u8]> = words.take(BOOK).collect();
    loop {
        let (client, _address) = listener.accept().await?;
        create_task(serve_client(client, Rc::clone(&book)))?;
    }
}

async fn serve_client(client: UnixStream, book: Rc<[u8]>) -> Result<()> {
    name_this_task("client");
    use_the_usual_settings(&client)?;
    send(&client, &book).await?;
    // The client closes the connection once it has the whole book.
    let mut goodbye = [0; 64];
    while client.read(&mut goodbye).await? > 0 {}
    Ok(())
}

/// Sends a line with the book's size, then the book.
async fn send(client: &UnixStream, book: &[u8]) -> Result<()> {
    client.write_all(format!("the book has {} bytes\n", book.len()).as_bytes()).await?;
    for part in book.chunks(PART) {
        client.try_write(part)?;
        // The other tasks have a turn between two parts.
        yield_now().await?;
    }
    Ok(())
}
