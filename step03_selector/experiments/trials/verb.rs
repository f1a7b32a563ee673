//! The verbs that programs of a selector are made of.

use std::fmt;

use scene::Random;
use step03_selector::{Interest, Trigger};

/// The names of the objects that a selector is used with. A number in a verb is an index into this
/// list.
pub(super) const NAMES: [&str; 4] = ["pipe 1", "pipe 2", "socket", "file"];
const FILE: usize = 3;

/// An operation on a selector or on one of the objects.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    Register {
        object: usize,
        interest: Interest,
        trigger: Trigger,
    },
    Unregister {
        object: usize,
    },
    Modify {
        object: usize,
        interest: Interest,
    },
    /// Closes a descriptor without unregistering it and gives its number to another object.
    Reuse {
        object: usize,
        by: By,
    },
    /// Makes the object readable.
    Send {
        object: usize,
    },
    /// Makes the object unreadable again.
    Receive {
        object: usize,
    },
    /// Closes the other side of the object.
    HangUp {
        object: usize,
    },
    Select,
}

/// The object that gets the number of a closed descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    NewPipe,
    /// A new pipe, while a duplicate keeps the old object open.
    NewPipeWithDuplicate,
    File,
    /// The old object itself, of which there's a duplicate.
    OldObject,
    /// A duplicate of the selector's own epoll object.
    Epoll,
}

/// The exercises up to which a program uses the selector.
#[derive(Debug, Clone, Copy)]
pub(super) enum UpTo {
    Add,
    Unregister,
    Select,
    Modify,
}

impl Verb {
    pub(super) fn random(up_to: UpTo, random: &mut Random) -> Verb {
        let kinds = match up_to {
            UpTo::Add => 3,
            UpTo::Unregister => 5,
            UpTo::Select => 9,
            UpTo::Modify => 12,
        };
        let (any, open) = (random.below(NAMES.len()), random.below(FILE));
        match random.below(kinds) {
            0 | 1 => {
                let trigger = random.choose(&[Trigger::Level, Trigger::Level, Trigger::Edge]);
                // The file is one mistake already.
                let least = usize::from(any == FILE);
                Verb::Register { object: any, interest: interest(random, least), trigger }
            }
            2 => {
                let duplicated = By::NewPipeWithDuplicate;
                let by = random.choose(&[
                    By::NewPipe,
                    duplicated,
                    duplicated,
                    By::File,
                    By::OldObject,
                    By::OldObject,
                    By::Epoll,
                ]);
                Verb::Reuse { object: open, by }
            }
            3 | 4 => Verb::Unregister { object: any },
            5 | 6 => Verb::Select,
            7 => Verb::Send { object: open },
            8 if random.once_in(2) => Verb::HangUp { object: open },
            8 => Verb::Receive { object: open },
            _ => Verb::Modify { object: any, interest: interest(random, 0) },
        }
    }
}

/// Returns an interest, which can be empty if `least` is zero.
fn interest(random: &mut Random, least: usize) -> Interest {
    let both = Interest::READABLE | Interest::WRITABLE;
    let most = [Interest::NONE, Interest::READABLE, Interest::WRITABLE, both, Interest::READABLE];
    random.choose(&most[least..])
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Verb::Register { object, .. }
        | Verb::Unregister { object }
        | Verb::Modify { object, .. }
        | Verb::Reuse { object, .. }
        | Verb::Send { object }
        | Verb::Receive { object }
        | Verb::HangUp { object }) = *self
        else {
            return f.write_str("select, without a sleep");
        };
        let name = NAMES[object];
        match self {
            Verb::Register { interest, trigger: Trigger::Edge, .. } => {
                write!(f, "register_edge {name}, {interest:?}")
            }
            Verb::Register { interest, .. } => write!(f, "register {name}, {interest:?}"),
            Verb::Unregister { .. } => write!(f, "unregister {name}"),
            Verb::Modify { interest, .. } => write!(f, "modify {name}, {interest:?}"),
            Verb::Reuse { by: By::NewPipe, .. } => {
                write!(f, "{name} is closed; a pipe gets its number")
            }
            Verb::Reuse { by: By::NewPipeWithDuplicate, .. } => {
                write!(f, "{name} is closed, except for a duplicate; a pipe gets its number")
            }
            Verb::Reuse { by: By::File, .. } => {
                write!(f, "{name} is closed; a file gets its number")
            }
            Verb::Reuse { by: By::OldObject, .. } => {
                write!(f, "{name} is closed; an older object gets its number back")
            }
            Verb::Reuse { by: By::Epoll, .. } => {
                write!(
                    f,
                    "{name} is closed; a duplicate of the selector's descriptor gets its number"
                )
            }
            Verb::Send { .. } => write!(f, "a byte arrives at {name}"),
            Verb::Receive { .. } => write!(f, "the bytes of {name} are read"),
            Verb::HangUp { .. } => write!(f, "the other side of {name} is closed"),
            Verb::Select => Ok(()),
        }
    }
}
