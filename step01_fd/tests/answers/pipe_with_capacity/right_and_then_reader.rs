    pipe().and_then(|ends| {
        let size = libc::c_ulong::from(bytes);
        // SAFETY: the command takes a number, and the reading end is open while we hold `ends`.
        let set = unsafe { libc::fcntl(ends.0.as_raw_fd(), libc::F_SETPIPE_SZ, size) };
        check(set, || format!("fcntl F_SETPIPE_SZ {size}")).map(|_| ends)
    })
