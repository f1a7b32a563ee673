//! Three hostile students. Each of them does everything that a hostile student could, all at once:
//!
//! - a flood: requests on twenty connections, each as fast as the answers arrive, some without
//!   waiting for the answers;
//! - readers that never read: all streams that a student can have and pages on fifty connections;
//! - incomplete requests on a hundred connections, bodies of a megabyte, guesses at the code, and
//!   duplicate answers.

use std::cell::Cell;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Error, Result, Task, create_task, get_running_loop, sleep};
use serde_json::{Value, json};

use crate::client::{Connection, ServerAddress};
use crate::support::{RIGHT, WRONG, round};

/// The data that the attackers share.
#[derive(Default)]
struct Attack {
    sent: Cell<usize>,
    refused: Cell<usize>,
}

/// Attacks until standard input ends, and prints the number of attacks. The attacks run in a
/// separate process, so that their cost doesn't add to the class's response times.
pub(crate) fn attack(address: &str, code: &str, count: usize) -> anyhow::Result<()> {
    let server = ServerAddress::at(address.parse()?);
    let code = code.to_owned();
    let attack = Rc::new(Attack::default());
    let shared = Rc::clone(&attack);
    asyncio::run(async move {
        for number in 0..count {
            hostile(&shared, &server, &code, number).await?;
        }
        let ends =
            || std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).map_err(Error::from);
        get_running_loop()?.run_in_executor(ends).await?;
        Ok(())
    })?;
    let Attack { sent, refused } = &*attack;
    writeln!(
        std::io::stdout(),
        "the hostile ones sent {} requests, and {} were refused",
        sent.get(),
        refused.get()
    )?;
    Ok(())
}

async fn hostile(
    attack: &Rc<Attack>,
    server: &ServerAddress,
    code: &str,
    number: usize,
) -> Result<()> {
    let mut connection = Connection::open(server).await?;
    let body = json!({ "code": code, "name": format!("Mallory {number}") });
    let (_, said) = connection.post("join", "", &body).await?;
    let joined: Value = serde_json::from_str(&said).unwrap_or_default();
    let token = joined["token"].as_str().unwrap_or_default().to_owned();
    for _ in 0..20 {
        again_and_again(attack, server, &token, flood)?;
    }
    for _ in 0..2 {
        again_and_again(attack, server, &token, answer_twice)?;
        again_and_again(attack, server, &token, huge_body)?;
        again_and_again(attack, server, &token, guess)?;
    }
    for _ in 0..100 {
        again_and_again(attack, server, &token, half_a_request)?;
    }
    for _ in 0..6 {
        again_and_again(attack, server, &token, stream_unread)?;
    }
    for _ in 0..50 {
        again_and_again(attack, server, &token, pages_unread)?;
    }
    Ok(())
}

/// Repeats an attack on a new connection whenever the server has closed one.
fn again_and_again<F>(
    attack: &Rc<Attack>,
    server: &ServerAddress,
    token: &str,
    once: impl Fn(Rc<Attack>, ServerAddress, String) -> F + 'static,
) -> Result<()>
where
    F: Future<Output = Result<()>> + 'static,
{
    let (attack, server, token) = (Rc::clone(attack), server.clone(), token.to_owned());
    let attacks: Task<()> = create_task(async move {
        loop {
            match once(Rc::clone(&attack), server.clone(), token.clone()).await {
                Err(error) if error.is_cancelled() => return Err(error),
                _ => {}
            }
            sleep(Duration::from_millis(10)).await?;
        }
    })?;
    drop(attacks);
    Ok(())
}

impl Attack {
    fn count(&self, status: u16) {
        self.sent.set(self.sent.get() + 1);
        self.refused.set(self.refused.get() + usize::from(status != 200));
    }
}

async fn flood(attack: Rc<Attack>, server: ServerAddress, token: String) -> Result<()> {
    let mut connection = Connection::open(&server).await?;
    loop {
        // Send ten requests at once, and then read their answers.
        let one = server.post("hello", &token, "{}");
        connection.writer.write(one.repeat(10).as_bytes())?;
        for _ in 0..10 {
            attack.count(connection.answer().await?.0);
        }
    }
}

async fn answer_twice(attack: Rc<Attack>, server: ServerAddress, token: String) -> Result<()> {
    let mut connection = Connection::open(&server).await?;
    for poll in (0..20).map(round).cycle() {
        for typed in [RIGHT, WRONG] {
            let body = json!({ "poll": poll, "typed": typed });
            attack.count(connection.post("answer", &token, &body).await?.0);
        }
    }
    Ok(())
}

async fn huge_body(attack: Rc<Attack>, server: ServerAddress, token: String) -> Result<()> {
    let mut connection = Connection::open(&server).await?;
    let body = json!({ "poll": "x".repeat(1 << 20), "typed": [] });
    attack.count(connection.post("answer", &token, &body).await?.0);
    Ok(())
}

async fn guess(attack: Rc<Attack>, server: ServerAddress, _token: String) -> Result<()> {
    let mut connection = Connection::open(&server).await?;
    loop {
        let body = json!({ "code": "bbbb-bbbb", "name": "Eve" });
        attack.count(connection.post("join", "", &body).await?.0);
    }
}

async fn half_a_request(attack: Rc<Attack>, server: ServerAddress, token: String) -> Result<()> {
    let mut connection = Connection::open(&server).await?;
    let request = server.post("answer", &token, "{}");
    connection.writer.write(&request.as_bytes()[..request.len() - 1])?;
    attack.count(connection.answer().await?.0);
    Ok(())
}

async fn stream_unread(attack: Rc<Attack>, server: ServerAddress, token: String) -> Result<()> {
    let mut connection = Connection::open(&server).await?;
    let stream = Connection::listen(&server, &mut connection, "ticket", &token).await;
    attack.count(if stream.is_ok() { 200 } else { 429 });
    let _held = stream?;
    sleep(Duration::from_hours(1)).await
}

async fn pages_unread(attack: Rc<Attack>, server: ServerAddress, _token: String) -> Result<()> {
    let connection = Connection::open(&server).await?;
    let get = format!("GET /class/class.js HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    connection.writer.write(get.repeat(1000).as_bytes())?;
    attack.count(200);
    connection.writer.drain().await?;
    sleep(Duration::from_hours(1)).await
}
