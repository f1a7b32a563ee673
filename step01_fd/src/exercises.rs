//! The exercises of step 01, in the order they are solved.

use scene::{Exercise, Nudge};

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "1.1",
        name: "pipe",
        task: "Make a pipe with both ends non-blocking and close-on-exec from the start.",
        minutes: 15,
        only_here: Some(
            "Later steps make socket pairs, epoll objects and TCP sockets. Your pipes are for the experiments.",
        ),
        scenes: &["flags_set_at_creation", "lowest_free_descriptor"],
        trials: &["new_pipes"],
        nudges: &[
            Nudge {
                at: "flags_set_at_creation",
                sees: ":        close-on-exec",
                hint: "This end isn't non-blocking, so a read or a write of it can put your \
                       whole loop to sleep. One word holds both flags.",
            },
            Nudge {
                at: "flags_set_at_creation",
                sees: ":        non-blocking",
                hint: "This end isn't close-on-exec, so every child process inherits it.",
            },
            Nudge {
                at: "new_pipes",
                sees: "pipe.",
                hint: "A flag came later, by a call of its own, and a child that another thread \
                       starts in between inherits the pipe. Let the call that makes the pipe set \
                       both.",
            },
        ],
        hints: &[
            "`man 2 pipe` describes two calls. Which of them can set both flags at once?",
            "libc::pipe2 writes two descriptors into an array, the reading end first. `check` turns \
             its −1 into an error. They have no owner yet; OwnedFd::from_raw_fd gives them one.",
            "
    let mut ends = [-1; 2];
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
    // SAFETY: `ends` has room for the two descriptors that pipe2 writes.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), flags) };
    check(made, || \"pipe2\".to_string())?;
    // SAFETY: pipe2 succeeded, so the first descriptor is open and has no other owner.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: the same holds for the second descriptor.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
",
        ],
    },
    Exercise {
        number: "1.2",
        name: "pipe_with_capacity",
        task: "Make a pipe of a given size, and leave nothing open when the kernel refuses.",
        minutes: 5,
        only_here: Some("Only experiments need a pipe whose size they can choose."),
        scenes: &["impossible_pipe_capacity"],
        trials: &["pipes_of_every_capacity", "no_capacity_goes_unasked"],
        nudges: &[
            Nudge {
                at: "impossible_pipe_capacity",
                sees: "leaks",
                hint: "The second call failed, and nothing closed what the first one had \
                       opened. Who owns the two descriptors at that point?",
            },
            Nudge {
                at: "pipes_of_every_capacity",
                sees: "room for",
                hint: "Ask for exactly this capacity, even if it's less than a pipe usually \
                       has. The kernel does the rounding.",
            },
            Nudge {
                at: "pipes_of_every_capacity",
                sees: "pipe.",
                hint: "This pipe lacks flags that the other pipes of the layer have. Exercise \
                       1.1 makes one that has them.",
            },
        ],
        hints: &[
            "Two calls can fail here. When the second one does, what has the first one opened, and \
             what closes it?",
            "Call pipe() first: its two OwnedFd close themselves however you leave. Then set the \
             size with fcntl and F_SETPIPE_SZ, on either end.",
            "
    // From here on both ends have an owner, and every way out of this function closes them.
    let (reader, writer) = pipe()?;
    let fd = writer.as_raw_fd();
    // SAFETY: F_SETPIPE_SZ takes an integer and touches no memory of ours.
    let size = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, bytes) };
    check(size, || format!(\"fcntl F_SETPIPE_SZ {bytes} fd {fd}\"))?;
    Ok((reader, writer))
",
        ],
    },
    Exercise {
        number: "1.3",
        name: "set_nonblocking",
        task: "Set or clear O_NONBLOCK, and leave all other flags as they are.",
        minutes: 10,
        only_here: None,
        scenes: &["blocking_is_shared"],
        trials: &["flags_of_every_descriptor", "flags_that_cannot_change"],
        nudges: &[
            Nudge {
                at: "blocking_is_shared",
                sees: "non-blocking, close-on-exec",
                hint: "`append` is gone: F_SETFL replaces all flags, so you have to pass those \
                       that were set before.",
            },
            Nudge {
                at: "blocking_is_shared",
                sees: "set on the file",
                hint: "F_GETFD and F_SETFD are about the descriptor, whose only flag is \
                       close-on-exec. O_NONBLOCK belongs to the open object, which has commands of \
                       its own.",
            },
            Nudge {
                at: "flags_of_every_descriptor",
                sees: "",
                hint: "Change one bit and keep all others, whatever they are. And `^` flips \
                       the bit: what if it was already as wanted?",
            },
            Nudge {
                at: "flags_that_cannot_change",
                sees: "",
                hint: "Each of the two calls can fail, and −1 isn't a set of flags. Look at \
                       both return values.",
            },
        ],
        hints: &[
            "fcntl has one command that gets the flags and one that sets them. The latter sets all \
             of them at once.",
            "F_GETFL returns the flags, or −1. Change one bit, and pass the result to F_SETFL.",
            "
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: F_GETFL takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    let flags = check(flags, || format!(\"fcntl F_GETFL fd {fd}\"))?;
    let flags = if nonblocking { flags | libc::O_NONBLOCK } else { flags & !libc::O_NONBLOCK };
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd, libc::F_SETFL, flags) };
    check(set, || format!(\"fcntl F_SETFL fd {fd}\"))?;
    Ok(())
",
        ],
    },
    Exercise {
        number: "1.4",
        name: "parse",
        task: "Parse the kernel's description of a descriptor: `pipe:[4711]`, `/dev/null`.",
        minutes: 15,
        only_here: Some("A loop has no need to look at what its descriptors name."),
        scenes: &["what_descriptors_name"],
        trials: &["descriptions"],
        nudges: &[
            Nudge {
                at: "descriptions",
                sees: "Path(",
                hint: "Paths can contain anything: colons, brackets, bytes that aren't UTF-8. \
                       Only the beginning of a description says whether it's a path, and a path \
                       stays byte for byte as it is.",
            },
            Nudge {
                at: "descriptions",
                sees: "",
                hint: "Look at the whole word before the colon and at what's in the brackets: \
                       both have to fit. Anything else is Kind::Other, with all of its text.",
            },
        ],
        hints: &[
            "Which of these texts are paths, and how can you tell? A file can be called `pipe:[7]`, \
             but its path doesn't begin like that.",
            "An absolute path is Kind::Path. Split the rest at the first colon: the kind, and a \
             name in brackets, which is an integer for a pipe or a socket. Text that doesn't fit is \
             Kind::Other.",
            "
    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let Some((kind, name)) = text.split_once(':') else { return Kind::Other(text.into_owned()) };
    let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let inode = inside.and_then(|inside| inside.parse().ok());
    match (kind, inode) {
        (\"pipe\", Some(inode)) => Kind::Pipe { inode },
        (\"socket\", Some(inode)) => Kind::Socket { inode },
        (\"anon_inode\", _) => Kind::AnonInode(inside.unwrap_or(name).to_string()),
        _ => Kind::Other(text.into_owned()),
    }
",
        ],
    },
    Exercise {
        number: "1.5",
        name: "read",
        task: "Read what has arrived, and tell bytes, \"would block\", \"end\" and errors apart.",
        minutes: 15,
        only_here: None,
        scenes: &[
            "end_or_would_block",
            "interrupted_read",
            "inherited_by_a_child",
            "reading_opens_no_descriptor",
        ],
        trials: &[
            "bytes_in_order",
            "every_error_of_read",
            "one_call_per_read",
            "read_after_many_signals",
            "buffers_of_every_size",
        ],
        nudges: &[
            Nudge {
                at: "interrupted_read",
                sees: "Interrupted",
                hint: "EINTR only says that a signal came. The caller wants bytes, so call \
                       read(2) again.",
            },
            Nudge {
                at: "bytes_in_order",
                sees: "End",
                hint: "read(2) returns 0 at the end, and also if the buffer has no room. Only \
                       one of them is the end.",
            },
            Nudge {
                at: "every_error_of_read",
                sees: "",
                hint: "EAGAIN alone means \"would block\", and only a count of 0 is the end. \
                       Return every other error, such as that of a peer that has reset the \
                       connection, and let it name the call.",
            },
            Nudge {
                at: "reading_opens_no_descriptor",
                sees: "asleep",
                hint: "Return what the first call gives you; \"would block\" is an answer, too.",
            },
        ],
        hints: &[
            "read(2) returns a count, 0 or −1, and −1 comes with an errno. Which of these is the end \
             of the bytes? Which errno only means \"call again\"?",
            "io::Error::last_os_error().kind() is WouldBlock for EAGAIN and Interrupted for EINTR. \
             Only 0 is the end. Call read again after an interruption: you need a loop.",
            "
    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel writes at most `buffer.len()` bytes, all of them into `buffer`.
        let count = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        match usize::try_from(count) {
            Ok(0) if !buffer.is_empty() => return Ok(Read::End),
            Ok(count) => return Ok(Read::Bytes(count)),
            Err(_) => {}
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Read::WouldBlock),
            _ => return Err(CallError::wrap(format!(\"read fd {fd}\"), error)),
        }
    }
",
        ],
    },
    Exercise {
        number: "1.6",
        name: "write",
        task: "Write as much as there's room for, once, and return how much that was.",
        minutes: 5,
        only_here: None,
        scenes: &[
            "full_pipe",
            "broken_pipe",
            "interrupted_write",
            "reused_descriptor",
            "out_of_descriptors",
        ],
        trials: &[
            "as_much_as_fits",
            "every_error_of_write",
            "one_call_per_write",
            "write_after_many_signals",
            "slices_of_every_size",
        ],
        nudges: &[
            Nudge {
                at: "every_error_of_write",
                sees: "",
                hint: "EAGAIN alone means \"would block\". A full disk or a closed connection \
                       doesn't get better by waiting: return the error as it is, and let it \
                       name the call.",
            },
            Nudge {
                at: "interrupted_write",
                sees: "asleep",
                hint: "A short write is a success. Return its count, and leave the caller the rest.",
            },
        ],
        hints: &[
            "It mirrors read. But what does it mean if write(2) returns less than you offered? Is it \
             this function's job to do something about that?",
            "Fewer bytes than offered is a success: return the count and leave the rest to the \
             caller. EAGAIN is Written::WouldBlock, EINTR means call again, EPIPE is an error.",
            "
    let fd = fd.as_fd().as_raw_fd();
    loop {
        // SAFETY: the kernel reads at most `bytes.len()` bytes, all of them from `bytes`.
        let count = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if let Ok(count) = usize::try_from(count) {
            return Ok(Written::Bytes(count));
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(Written::WouldBlock),
            _ => return Err(CallError::wrap(format!(\"write fd {fd}\"), error)),
        }
    }
",
        ],
    },
    Exercise {
        number: "1.7",
        name: "flush",
        task: "Write an outbox's bytes until none is left or the descriptor would block, and lose nothing.",
        minutes: 15,
        only_here: None,
        scenes: &["slow_reader"],
        trials: &["outbox_in_turns", "outbox_after_errors", "cost_of_a_flush"],
        nudges: &[
            Nudge {
                at: "slow_reader",
                sees: "busy",
                hint: "There was no room, and you asked again at once. Only the reader makes room.",
            },
            Nudge {
                at: "slow_reader",
                sees: "true, less than 2 pages",
                hint: "Count what arrived: `write` says how many bytes it took, which can be \
                       fewer than you offered. Exactly those leave the outbox.",
            },
            Nudge {
                at: "outbox_in_turns",
                sees: "",
                hint: "Go on until nothing is left or it would block: a VecDeque can be two pieces.",
            },
            Nudge {
                at: "outbox_after_errors",
                sees: "",
                hint: "An error can come after some bytes were written. Take bytes out of the \
                       outbox as soon as they're written, and no others.",
            },
            Nudge {
                at: "cost_of_a_flush",
                sees: "are allowed",
                hint: "Offer as many bytes as lie next to each other, and stop when nothing is \
                       unsent. See VecDeque::as_slices.",
            },
            Nudge {
                at: "cost_of_a_flush",
                sees: "",
                hint: "The unsent bytes are copied or moved in each flush. Take the written \
                       ones from the front and leave the rest where it is.",
            },
        ],
        hints: &[
            "`write` returns how many bytes the kernel took. What has to happen to those bytes, \
             and what to the rest? And when should you stop?",
            "While something is unsent, write the oldest piece. Bytes(count): remove count bytes \
             from the front. WouldBlock: Ok(false). Return an error, and remove nothing for it.",
            "
        while !self.is_empty() {
            // A ring buffer is up to two pieces of memory. If only one has bytes, it's the first.
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest)? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
",
        ],
    },
];
