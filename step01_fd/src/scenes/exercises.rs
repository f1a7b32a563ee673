//! The exercises of step 01, in the order they are solved.

use workbook::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "1.1",
        name: "pipe",
        task: "Make a pipe whose both ends are non-blocking and close-on-exec from the start.",
        minutes: 10,
        scenes: &["lowest_free_number", "more_than_files", "flags_from_birth"],
        hints: &[
            "`man 2 pipe` knows two calls. Which of them can set both flags in one go?",
            "libc::pipe2 writes two numbers into an array: the reading end first. `check` turns its \
             −1 into an error. The numbers have no owner yet; OwnedFd::from_raw_fd gives them one.",
            "let mut ends = [-1; 2]; then libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | \
             libc::O_CLOEXEC), check it, and return OwnedFd::from_raw_fd of ends[0] and of ends[1].",
        ],
    },
    Exercise {
        number: "1.2",
        name: "read",
        task: "Read what is there, and tell bytes, \"would block\", \"end\" and errors apart.",
        minutes: 15,
        scenes: &["end_or_would_block", "interrupted_read"],
        hints: &[
            "read(2) returns a count, 0 or −1, and after −1 there is errno. Which of these is the \
             end of the bytes? Which errno means only \"ask again\"?",
            "io::Error::last_os_error().kind() is WouldBlock for EAGAIN and Interrupted for EINTR. \
             Only 0 is the end. After an interruption call read again: you need a loop.",
            "loop { let count = libc::read(number, buffer.as_mut_ptr().cast(), buffer.len()); count \
             > 0: Bytes; count == 0: End (but Bytes(0) if the buffer is empty); else look at the \
             kind of last_os_error: Interrupted goes round again, WouldBlock is Read::WouldBlock, \
             the rest is an error. }",
        ],
    },
    Exercise {
        number: "1.3",
        name: "write",
        task: "Write as much as there is room for, once, and say how much that was.",
        minutes: 10,
        scenes: &["full_pipe", "broken_pipe"],
        hints: &[
            "It is the twin of read. But what does it mean if write(2) returns less than you gave \
             it? Who has to do something about that?",
            "Fewer bytes than offered is a success: return the count and leave the rest to the \
             caller. EAGAIN is Written::WouldBlock, EINTR asks again, EPIPE is an error.",
            "As in read: loop { libc::write(number, bytes.as_ptr().cast(), bytes.len()); count >= \
             0: Bytes(count); Interrupted: again; WouldBlock: Written::WouldBlock; else the error, \
             wrapped with CallError::wrap. }",
        ],
    },
];
