//! The clients of a server, as tasks: the list that a graceful shutdown needs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use step06_tasks::{Places, Result, Task};

use super::connection::serve_client;
use crate::{TcpStream, create_task};

/// The tasks that serve a server's clients and haven't ended. A clone is another handle to the same
/// list.
#[derive(Clone, Default)]
pub struct Clients {
    list: Rc<List>,
}

#[derive(Default)]
struct List {
    made: Cell<u64>,
    /// The clients' tasks in the order of their arrival, each under its number.
    tasks: RefCell<Places<Task<()>>>,
}

impl Clients {
    /// Makes an empty list.
    pub fn new() -> Self {
        Clients::default()
    }

    /// Starts a task that echoes the client's bytes. Adds the task to the list.
    ///
    /// # Errors
    ///
    /// Fails if no loop is running in this thread.
    pub fn serve(&self, client: TcpStream) -> Result<()> {
        self.add(create_task(serve_client(client))?);
        Ok(())
    }

    /// Adds the task of a client to the list and removes it from the list when the task has ended.
    pub fn add(&self, client: Task<()>) {
        let number = self.list.made.get();
        self.list.made.set(number + 1);
        self.list.tasks.borrow_mut().push(number, client.clone());
        let list = Rc::clone(&self.list);
        client.add_done_callback(move |_| {
            let ended = list.tasks.borrow_mut().remove(number);
            // In a statement of its own, when the list is no longer borrowed.
            drop(ended);
        });
    }

    /// Returns the tasks that are in the list now.
    pub fn tasks(&self) -> Vec<Task<()>> {
        self.list.tasks.borrow().values().cloned().collect()
    }
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clients").field("count", &self.tasks().len()).finish()
    }
}
