//! The connected clients and the descriptors on the loop's interest list, for the page `/loop`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, RawFd};

use asyncio::{AnyTask, current_task};
use ecosystem::Io;
use serde_json::{Value, json};

/// The maximum number of entries in a list. A page with more entries would be useless, and creating
/// the list takes up the loop's time.
const MOST: usize = 40;

/// The clients whose connections are open.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    open: RefCell<Vec<Client>>,
    /// The number of open connections at our last check.
    looked: Cell<usize>,
}

#[derive(Debug)]
struct Client {
    /// The task that serves the connection.
    task: AnyTask,
    descriptor: RawFd,
    address: SocketAddr,
    /// The client's last request.
    does: String,
}

impl Clients {
    /// Records a connection that the current task serves.
    pub(crate) fn connected(&self, io: &Io<TcpStream>) {
        let (Some(task), Ok(address)) = (current_task(), io.get_ref().peer_addr()) else { return };
        let descriptor = io.get_ref().as_raw_fd();
        task.set_name("a new connection");
        let does = "hasn't sent a request yet".to_owned();
        // The more connections there are, the longer it takes to check all of them, so we rarely
        // check.
        if self.open.borrow().len() >= 2 * self.looked.get().max(MOST) {
            self.forget_those_that_have_gone();
        }
        self.open.borrow_mut().push(Client { task, descriptor, address, does });
    }

    fn forget_those_that_have_gone(&self) {
        let mut open = self.open.borrow_mut();
        open.retain(|client| !client.task.done());
        self.looked.set(open.len());
    }

    /// Records the latest request from the current task's client.
    pub(crate) fn asks_for(&self, what: &str) {
        let Some(task) = current_task() else { return };
        if let Some(client) = self.open.borrow_mut().iter_mut().find(|it| it.task == task) {
            what.clone_into(&mut client.does);
        }
    }

    /// Returns the number of connections and a list of the first connections.
    pub(crate) fn told(&self) -> (usize, Value) {
        self.forget_those_that_have_gone();
        let open = self.open.borrow();
        let listed = open.iter().take(MOST).map(
            |Client { address, does, .. }| json!({ "address": address.to_string(), "does": does }),
        );
        (open.len(), listed.collect())
    }

    /// Lists the descriptors on the loop's interest list, as reported by the kernel. Returns `null`
    /// if there are too many descriptors or if the list can't be read.
    pub(crate) fn registered(&self, count: usize) -> Value {
        if count > MOST {
            return Value::Null;
        }
        interest_list().map_or(Value::Null, |entries| {
            let described = entries.iter().map(|(descriptor, interest)| {
                json!({ "number": descriptor, "is": self.named(*descriptor), "interest": interest })
            });
            described.collect()
        })
    }

    /// Returns an object that maps the numbers of the first [`MOST`] descriptors to their
    /// descriptions, or to `null` for a descriptor that has been closed.
    pub(crate) fn named_all(&self, descriptors: &BTreeSet<RawFd>) -> Value {
        let named = descriptors.iter().take(MOST).map(|descriptor| {
            let name = self.named(*descriptor);
            (descriptor.to_string(), Some(name).filter(|name| !name.is_empty()).into())
        });
        Value::Object(named.collect())
    }

    fn named(&self, descriptor: RawFd) -> String {
        let open = self.open.borrow();
        if let Some(client) = open.iter().find(|it| it.descriptor == descriptor) {
            return format!("the connection from {}", client.address);
        }
        let link = fs::read_link(format!("/proc/self/fd/{descriptor}")).unwrap_or_default();
        let link = link.display().to_string();
        let kinds = [
            ("socket:", "one of the server's own sockets"),
            ("pipe:", "a pipe, to or from a program"),
            ("anon_inode:[pidfd]", "a program's pidfd"),
            ("anon_inode:[eventfd]", "the loop's eventfd"),
        ];
        let kind = kinds.iter().find(|(begin, _)| link.starts_with(begin));
        kind.map_or(link.clone(), |(_, kind)| (*kind).to_owned())
    }
}

/// Returns the kernel's list for this process's first epoll object, which belongs to the loop. The
/// list contains descriptors, each with the events that the loop waits for. See
/// `proc_pid_fdinfo(5)`.
fn interest_list() -> Option<Vec<(RawFd, String)>> {
    let is_epoll = |number: &String| {
        let link = fs::read_link(format!("/proc/self/fd/{number}"));
        link.is_ok_and(|link| link.as_os_str() == "anon_inode:[eventpoll]")
    };
    let open = fs::read_dir("/proc/self/fd").ok()?.filter_map(Result::ok);
    let mut numbers = open.filter_map(|entry| entry.file_name().into_string().ok());
    let told = fs::read_to_string(format!("/proc/self/fdinfo/{}", numbers.find(is_epoll)?)).ok()?;
    let mut entries: Vec<(RawFd, String)> = told.lines().filter_map(parsed).collect();
    entries.sort_unstable();
    Some(entries)
}

/// Parses a line such as `tfd: 5 events: 19 data: 5 pos:0 ino:1 sdev:e`.
fn parsed(line: &str) -> Option<(RawFd, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["tfd:", descriptor, "events:", events, ..] = words.as_slice() else { return None };
    let events = u32::from_str_radix(events, 16).ok()?;
    let bits = [(0x1, "readable"), (0x4, "writable"), (1 << 31, "edge-triggered")];
    let named = bits.iter().filter(|(bit, _)| events & bit != 0).map(|(_, name)| *name);
    Some((descriptor.parse().ok()?, named.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_the_kernels_list_says_what_its_descriptor_is_watched_for() {
        let line = "tfd:        7 events: 80002005 data:        7  pos:0 ino:1a sdev:8";
        let interest = "readable, writable, edge-triggered".to_owned();
        assert_eq!(parsed(line), Some((7, interest)));
        assert_eq!(parsed("pos:\t0"), None);
    }
}
