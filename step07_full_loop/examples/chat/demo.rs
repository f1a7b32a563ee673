//! A hundred clients of the chat. Ninety-nine of them talk, and one doesn't read.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use step07_full_loop::{
    Error, Result, StreamReader, StreamWriter, TimeoutError, gather, open_connection, timeout,
};

use crate::program::say;

const TALKERS: usize = 99;
const LINES: usize = 20;
const ALL: usize = TALKERS * LINES;

/// A `patient` chat is stuck soon, so the demonstration only waits for some seconds.
pub(crate) async fn run(chat: SocketAddr, patient: bool) -> Result<()> {
    let mut sleepy = Client::join(chat, "sleepy".to_owned()).await?;
    let mut talkers = Vec::new();
    for number in 0..TALKERS {
        talkers.push(Client::join(chat, format!("talker {number}")).await?);
    }
    say!("{TALKERS} clients say {LINES} lines each; sleepy doesn't read");
    let began = Instant::now();
    let all_talk = gather(talkers.into_iter().map(Client::talk))?;
    let limit = patient.then_some(Duration::from_secs(5));
    let _talkers = match timeout(limit)?.run(all_talk).await {
        Err(error) if TimeoutError::is(&error) => {
            say!("after 5 s none of them has received everything: all wait for sleepy");
            return Ok(());
        }
        talked => talked?,
    };
    say!("each of them has received all {ALL} lines, in {:.1?}", began.elapsed());
    let (count, note) = sleepy.catch_up().await?;
    say!("sleepy wakes up, and receives {count} lines{note}");
    Ok(())
}

struct Client {
    reader: StreamReader,
    writer: StreamWriter,
}

impl Client {
    /// Connects, and waits until the chat knows the name.
    async fn join(chat: SocketAddr, name: String) -> Result<Self> {
        let (reader, writer) = open_connection(chat).await?;
        writer.write(format!("{name}\n").as_bytes())?;
        let mut client = Client { reader, writer };
        while client.line().await? != format!("* {name} is here\n") {}
        Ok(client)
    }

    async fn line(&mut self) -> Result<String> {
        let line = self.reader.next_line().await?;
        let line = line.ok_or_else(|| Error::other("the chat has ended"))?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// Says its lines, each when it has heard those of all the others. At the end, it stays.
    async fn talk(mut self) -> Result<Rc<Self>> {
        for number in 1..=LINES {
            self.writer.write(format!("{number:.>200}\n").as_bytes())?;
            let mut heard = 0;
            while heard < TALKERS {
                match self.line().await? {
                    line if line.starts_with('!') => return Err(Error::other(line)),
                    line => heard += usize::from(line.starts_with("talker")),
                }
            }
        }
        Ok(Rc::new(self))
    }

    /// Reads what has been waiting, and returns how many lines that was, and what it was told then.
    async fn catch_up(&mut self) -> Result<(usize, String)> {
        let mut count = 0;
        while count < ALL {
            match self.line().await? {
                line if line.starts_with('!') => {
                    return Ok((count, format!(", and then\n{}", line.trim_end())));
                }
                line => count += usize::from(line.starts_with("talker")),
            }
        }
        Ok((count, String::new()))
    }
}
