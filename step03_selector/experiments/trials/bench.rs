//! A selector, and the objects with which a program uses it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

use anyhow::Context;
use kit::epoll_list;
use step01_fd::{pipe, read, socketpair, write};
use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector, SelectorKey, Trigger};

use super::verb::{By, NAMES, Verb};

/// A descriptor, and the other side of its pipe or socket.
struct Object {
    near: OwnedFd,
    far: Option<OwnedFd>,
    /// True if epoll can't wait for the object.
    is_refused: bool,
    /// True if the object existed before, so that the kernel's list can have an entry for it.
    is_old: bool,
}

/// A selector and four objects.
pub(super) struct Bench {
    selector: EpollSelector<usize>,
    objects: [Object; NAMES.len()],
    /// Duplicates of closed descriptors, each with the index of its object.
    duplicates: Vec<(usize, OwnedFd)>,
    ready: Vec<ReadyEvent<usize>>,
}

impl Bench {
    pub(super) fn new() -> anyhow::Result<Self> {
        let connected =
            |(near, far)| Object { near, far: Some(far), is_refused: false, is_old: false };
        let file = File::open("/proc/self/exe").context("open /proc/self/exe")?;
        Ok(Bench {
            selector: EpollSelector::new()?,
            objects: [
                connected(pipe()?),
                connected(pipe()?),
                connected(socketpair()?),
                Object { near: file.into(), far: None, is_refused: true, is_old: false },
            ],
            duplicates: Vec::new(),
            ready: Vec::new(),
        })
    }

    /// Returns the selector and an object's descriptor.
    pub(super) fn parts(&mut self, object: usize) -> (&mut EpollSelector<usize>, &OwnedFd) {
        (&mut self.selector, &self.objects[object].near)
    }

    /// Carries out a verb and describes its result. Returns `None` if the verb can't be carried out
    /// or would be wrong in two ways.
    pub(super) fn carry_out(&mut self, verb: Verb, data: usize) -> anyhow::Result<Option<String>> {
        Ok(match verb {
            Verb::Register { object, interest, trigger } => {
                let is_refused = self.objects[object].is_refused;
                let (selector, fd) = self.parts(object);
                if interest.is_empty() && (is_refused || selector.get_key(fd).is_some()) {
                    return Ok(None);
                }
                Some(registered(register(selector, fd, interest, trigger, data)))
            }
            Verb::Unregister { object } => {
                let is_old = self.objects[object].is_old;
                let (selector, fd) = self.parts(object);
                // If there's no key, an answer can ask the kernel all the same.
                if is_old && selector.get_key(fd).is_none() {
                    return Ok(None);
                }
                Some(handed_back(selector.unregister(fd)))
            }
            Verb::Modify { object, interest } => {
                let is_refused = self.objects[object].is_refused;
                let (selector, fd) = self.parts(object);
                let done = selector.modify(fd, interest, data);
                let is_known = selector.get_key(fd).is_some();
                Some(match done {
                    // epoll says that it can't wait for this and not that it dropped the pipe.
                    Err(_) if is_refused && is_known => "an error".to_owned(),
                    done => handed_back(done),
                })
            }
            Verb::Reuse { object, by } => self.reuse(object, by)?.then(|| "done".to_owned()),
            Verb::Send { object } => {
                self.objects[object].far.as_ref().map(|far| done(write(far, b"x")))
            }
            Verb::Receive { object } => {
                let object = &self.objects[object];
                (!object.is_refused).then(|| done(read(&object.near, &mut [0; 64])))
            }
            Verb::HangUp { object } => self.objects[object].far.take().map(|_| "done".to_owned()),
            Verb::Select => {
                let found = self.selector.select(Some(Duration::ZERO), &mut self.ready);
                Some(found.map_or_else(|error| kind(&error), |()| described(&self.ready)))
            }
        })
    }

    /// Closes a descriptor and gives its number to another object. Returns false if that has to be
    /// an older object and there's none.
    fn reuse(&mut self, index: usize, by: By) -> anyhow::Result<bool> {
        let object = &mut self.objects[index];
        if by == By::NewPipeWithDuplicate {
            self.duplicates.push((index, object.near.try_clone()?));
        }
        let (new, far) = match by {
            By::File => (File::open("/proc/self/exe")?.into(), None),
            By::Epoll => (self.selector.as_fd().try_clone_to_owned()?, None),
            By::OldObject => {
                let Some(at) = self.duplicates.iter().rposition(|(of, _)| *of == index) else {
                    return Ok(false);
                };
                (self.duplicates.swap_remove(at).1, None)
            }
            By::NewPipe | By::NewPipeWithDuplicate => {
                let (reader, writer) = pipe()?;
                (reader, Some(writer))
            }
        };
        rustix::io::dup2(&new, &mut object.near).context("dup2")?;
        (object.far, object.is_old) = (far, by == By::OldObject);
        object.is_refused = matches!(by, By::File | By::Epoll);
        Ok(true)
    }

    /// Describes the registrations: the selector's keys, and the kernel's list.
    pub(super) fn registrations(&self) -> anyhow::Result<String> {
        let keys = self.objects.iter().zip(NAMES).filter_map(|(object, name)| {
            let key = self.selector.get_key(&object.near)?;
            Some(format!("{name} is {}", self::key(key)))
        });
        let list = epoll_list(&self.selector)?;
        let list = list.iter().map(|entry| {
            let mut objects = self.objects.iter().zip(NAMES);
            let object = objects.find(|(object, _)| object.near.as_raw_fd() == entry.number);
            let name = object.map_or("another descriptor", |(_, name)| name);
            let reads = entry.waits_for(libc::EPOLLIN).then_some(Interest::READABLE);
            let writes = entry.waits_for(libc::EPOLLOUT).then_some(Interest::WRITABLE);
            let interest = reads.unwrap_or_default() | writes.unwrap_or_default();
            let edge = if entry.waits_for(libc::EPOLLET) { " edge" } else { "" };
            format!("{name} {interest:?}{edge}")
        });
        Ok(format!("keys: {}; kernel: {}", listed(keys), listed(list)))
    }
}

/// Registers a descriptor with a trigger.
pub(super) fn register(
    selector: &mut EpollSelector<usize>,
    fd: impl AsFd,
    interest: Interest,
    trigger: Trigger,
    data: usize,
) -> io::Result<()> {
    match trigger {
        Trigger::Edge => selector.register_edge(fd, interest, data),
        _ => selector.register(fd, interest, data),
    }
}

/// Describes the outcome of a registration.
pub(super) fn registered(result: io::Result<()>) -> String {
    result.map_or_else(|error| kind(&error), |()| "registered".to_owned())
}

/// Describes the outcome of a modify or an unregister.
pub(super) fn handed_back(result: io::Result<SelectorKey<usize>>) -> String {
    result.map_or_else(|error| kind(&error), |key| format!("returns {}", self::key(&key)))
}

/// Describes a key.
pub(super) fn key(key: &SelectorKey<usize>) -> String {
    let edge = if key.trigger == Trigger::Edge { " edge" } else { "" };
    format!("{} {:?}{edge}", key.data, key.interest)
}

/// Describes the ready descriptors, sorted, because the kernel can report them in any order.
pub(super) fn described(ready: &[ReadyEvent<usize>]) -> String {
    let mut ready: Vec<_> = ready.iter().collect();
    ready.sort_by_key(|event| event.data);
    listed(ready.into_iter().map(|event| {
        let read_closed = if event.read_closed { ", read closed" } else { "" };
        let write_closed = if event.write_closed { ", write closed" } else { "" };
        format!("[{} {:?}{read_closed}{write_closed}]", event.data, event.interest)
    }))
}

fn listed(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

fn kind(error: &io::Error) -> String {
    format!("{:?}", error.kind())
}

fn done<T>(result: io::Result<T>) -> String {
    result.map_or_else(|error| kind(&error), |_| "done".to_owned())
}
