//! The exercises of step 01, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "1.1",
        name: "pipe",
        task: "Make a pipe with both ends non-blocking and close-on-exec from the start.",
        minutes: 10,
        only_here: Some(
            "Later steps make socket pairs, epoll instances and TCP sockets; your pipes feed the experiments of all steps.",
        ),
        scenes: &["lowest_free_descriptor", "flags_set_at_creation"],
        trials: &[],
        nudges: &[],
        hints: &[
            "`man 2 pipe` describes two calls. Which of them can set both flags at once?",
            "libc::pipe2 writes two descriptors into an array, the reading end first. `check` turns \
             its −1 into an error. They have no owner yet; OwnedFd::from_raw_fd gives them one.",
            "let mut ends = [-1; 2]; then libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | \
             libc::O_CLOEXEC), check it, and return OwnedFd::from_raw_fd of ends[0] and of ends[1].",
        ],
    },
    Exercise {
        number: "1.2",
        name: "pipe_with_capacity",
        task: "Make a pipe of a given size, and leave nothing open when the kernel refuses.",
        minutes: 10,
        only_here: Some("Only experiments need a pipe whose size they can choose."),
        scenes: &["impossible_pipe_capacity"],
        trials: &[],
        nudges: &[],
        hints: &[
            "Two calls can fail here. When the second one does, what has the first one opened, and \
             what closes it?",
            "Call pipe() first: its two OwnedFd close themselves however you leave. Then set the \
             size with fcntl and F_SETPIPE_SZ, on either end.",
            "let (reader, writer) = pipe()?; let size = unsafe { libc::fcntl(writer.as_raw_fd(), \
             libc::F_SETPIPE_SZ, bytes) }; check(size, || …)?; Ok((reader, writer)).",
        ],
    },
    Exercise {
        number: "1.3",
        name: "set_nonblocking",
        task: "Set or clear O_NONBLOCK, and leave all other flags as they are.",
        minutes: 10,
        only_here: None,
        scenes: &["blocking_is_shared"],
        trials: &[],
        nudges: &[],
        hints: &[
            "fcntl has one command that gets the flags and one that sets them. The latter sets all \
             of them at once.",
            "F_GETFL returns the flags, or −1. Change one bit, and pass the result to F_SETFL.",
            "let flags = check(libc::fcntl(fd, libc::F_GETFL), …)?; then flags | \
             libc::O_NONBLOCK or flags & !libc::O_NONBLOCK, and libc::fcntl(fd, libc::F_SETFL, \
             flags).",
        ],
    },
    Exercise {
        number: "1.4",
        name: "parse",
        task: "Parse the kernel's description of a descriptor: `pipe:[4711]`, `/dev/null`.",
        minutes: 15,
        only_here: Some("It lets you look at descriptors, which a loop has no need to do."),
        scenes: &["what_descriptors_name"],
        trials: &[],
        nudges: &[],
        hints: &[
            "Which of these texts are paths, and how can you tell? A file can be called `pipe:[7]`, \
             but its path doesn't begin like that.",
            "An absolute path is Kind::Path. Split the rest at the first colon: the kind, and a \
             name in brackets, which is an integer for a pipe or a socket. Text that doesn't fit is \
             Kind::Other, or a path if it has no colon.",
            "text.split_once(':').filter(|_| !target.is_absolute()), else Kind::Path. Trim the \
             brackets from the rest, and match (kind, name.parse()): (\"pipe\", Ok(inode)) => …, \
             (\"socket\", Ok(inode)) => …, (\"anon_inode\", _) => …, _ => Kind::Other.",
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
        trials: &[],
        nudges: &[],
        hints: &[
            "read(2) returns a count, 0 or −1, and −1 comes with an errno. Which of these is the end \
             of the bytes? Which errno only means \"call again\"?",
            "io::Error::last_os_error().kind() is WouldBlock for EAGAIN and Interrupted for EINTR. \
             Only 0 is the end. Call read again after an interruption: you need a loop.",
            "loop { let count = libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()); count \
             > 0: Bytes; count == 0: End (but Bytes(0) if the buffer is empty); else look at the \
             kind of last_os_error: Interrupted goes round again, WouldBlock is Read::WouldBlock, \
             the rest is an error. }",
        ],
    },
    Exercise {
        number: "1.6",
        name: "write",
        task: "Write as much as there's room for, once, and return how much that was.",
        minutes: 10,
        only_here: None,
        scenes: &[
            "full_pipe",
            "broken_pipe",
            "interrupted_write",
            "reused_descriptor",
            "out_of_descriptors",
        ],
        trials: &[],
        nudges: &[],
        hints: &[
            "It mirrors read. But what does it mean if write(2) returns less than you offered? Is it \
             this function's job to do something about that?",
            "Fewer bytes than offered is a success: return the count and leave the rest to the \
             caller. EAGAIN is Written::WouldBlock, EINTR means call again, EPIPE is an error.",
            "As in read: loop { libc::write(fd, bytes.as_ptr().cast(), bytes.len()); count >= \
             0: Bytes(count); Interrupted: again; WouldBlock: Written::WouldBlock; else the error, \
             wrapped with CallError::wrap. }",
        ],
    },
    Exercise {
        number: "1.7",
        name: "flush",
        task: "Write an outbox's bytes until none is left or the descriptor would block; lose nothing.",
        minutes: 20,
        only_here: None,
        scenes: &["slow_reader"],
        trials: &[],
        nudges: &[],
        hints: &[
            "`write` returns how many bytes the kernel took. What has to happen to those bytes, \
             and what to the rest? And when should you stop?",
            "While something is unsent, write the oldest piece. Bytes(count): remove count bytes \
             from the front. WouldBlock: Ok(false). Return an error, and remove nothing for it.",
            "while !self.is_empty() { let (oldest, _) = self.unsent.as_slices(); match write(&fd, \
             oldest)? { Written::Bytes(count) => drop(self.unsent.drain(..count)), \
             Written::WouldBlock => return Ok(false) } } and at the end Ok(true).",
        ],
    },
];
