//! An archive: searches its letters for a word. Besides `search WORD`, it answers `ping`, so that a
//! client can check whether the server is still there.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Result, StreamReader, StreamWriter, start_unix_server};

use crate::{name_this_task, work};

/// Serves until the loop ends.
pub async fn serve(path: PathBuf) -> Result<()> {
    let archive = Rc::new(Archive::open());
    let server = start_unix_server(
        move |reader, writer| serve_client(Rc::clone(&archive), reader, writer),
        path,
    );
    server.await?.serve_forever().await
}

async fn serve_client(
    archive: Rc<Archive>,
    mut reader: StreamReader,
    writer: StreamWriter,
) -> Result<()> {
    name_this_task("client");
    while let Some(line) = reader.next_line().await? {
        let line = String::from_utf8_lossy(&line);
        let answer = match line.trim_end().split_once(' ') {
            Some(("search", word)) => format!("{} letters\n", archive.search(word).await?),
            _ => "pong\n".to_owned(),
        };
        writer.write(answer.as_bytes())?;
        writer.drain().await?;
    }
    Ok(())
}

/// Eight hundred letters.
struct Archive {
    letters: Vec<String>,
}

impl Archive {
    fn open() -> Self {
        let about =
            |number: u32| if number.is_multiple_of(100) { "a whale" } else { "the weather" };
        let letters = (0..800).map(|number| format!("letter {number}, about {}", about(number)));
        Archive { letters: letters.collect() }
    }

    /// Returns the number of letters that contain `word`.
    async fn search(&self, word: &str) -> Result<usize> {
        let mut found = 0;
        for letter in &self.letters {
            found += usize::from(contains(letter, word));
        }
        Ok(found)
    }
}

/// Searches a letter for `word`, which takes a millisecond.
fn contains(letter: &str, word: &str) -> bool {
    work(Duration::from_millis(1));
    letter.contains(word)
}
