    let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
    let mut ends = std::mem::MaybeUninit::<[libc::c_int; 2]>::uninit();
    // SAFETY: pipe2 writes two integers, for which `ends` has room.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr().cast(), flags) };
    check(made, || format!("pipe2 flags {flags:#o}")).map(|_| {
        // SAFETY: pipe2 succeeded, so it has filled both.
        let ends = unsafe { ends.assume_init() };
        // SAFETY: both are open, new, and owned by nobody else.
        ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }).into()
    })
