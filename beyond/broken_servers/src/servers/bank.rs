//! A bank: tells its clients an account's balance. A lookup takes two seconds. Meanwhile, the
//! client can ask for other accounts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Result, StreamReader, StreamWriter, get_running_loop, start_unix_server};

use crate::name_this_task;

/// The time that a lookup takes.
const LOOKUP: Duration = Duration::from_secs(2);

/// Serves until the loop ends.
pub async fn serve(path: PathBuf) -> Result<()> {
    let clients = Rc::new(Clients::default());
    let server = start_unix_server(
        move |reader, writer| serve_client(Rc::clone(&clients), reader, writer),
        path,
    );
    server.await?.serve_forever().await
}

async fn serve_client(
    clients: Rc<Clients>,
    mut reader: StreamReader,
    writer: StreamWriter,
) -> Result<()> {
    name_this_task("client");
    let number = clients.add(writer);
    let outcome = take_requests(&clients, number, &mut reader).await;
    clients.remove(number);
    outcome
}

/// Takes requests until the client leaves.
async fn take_requests(
    clients: &Rc<Clients>,
    number: usize,
    reader: &mut StreamReader,
) -> Result<()> {
    while let Some(line) = reader.next_line().await? {
        let account = String::from_utf8_lossy(&line).trim_end().to_owned();
        let asking = Rc::clone(clients);
        get_running_loop()?.call_later(LOOKUP, move || asking.answer(number, &account));
    }
    Ok(())
}

/// The connected clients. A lookup stores only a client's number: if it stored the connection, the
/// connection would stay open until the lookup was done.
#[derive(Default)]
struct Clients {
    by_number: RefCell<BTreeMap<usize, StreamWriter>>,
}

impl Clients {
    /// Adds a client and returns its number: the lowest that's free, so that the numbers stay
    /// small.
    fn add(&self, client: StreamWriter) -> usize {
        let mut by_number = self.by_number.borrow_mut();
        let number = (0..by_number.len()).find(|number| !by_number.contains_key(number));
        let number = number.unwrap_or(by_number.len());
        by_number.insert(number, client);
        number
    }

    fn remove(&self, number: usize) {
        let client = self.by_number.borrow_mut().remove(&number);
        // This is a separate statement so that the list is no longer borrowed during the drop.
        drop(client);
    }

    /// Tells a client an account's balance, unless the client has left.
    fn answer(&self, number: usize, account: &str) {
        if let Some(client) = self.by_number.borrow().get(&number) {
            let balance = 100 * account.len();
            // This fails only after `write_eof`, which the server never calls.
            let _ = client.write(format!("{account} has {balance} dollars\n").as_bytes());
        }
    }
}
