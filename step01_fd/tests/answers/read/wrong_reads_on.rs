    let fd = fd.as_fd().as_raw_fd();
    let mut done = 0;
    loop {
        let rest = &mut buffer[done..];
        // SAFETY: the kernel writes at most `rest.len()` bytes, all of them into `rest`.
        let count = unsafe { libc::read(fd, rest.as_mut_ptr().cast(), rest.len()) };
        match usize::try_from(count) {
            Ok(0) if done == 0 && !rest.is_empty() => return Ok(Read::End),
            Ok(0) => return Ok(Read::Bytes(done)),
            Ok(count) => {
                done += count;
                continue;
            }
            Err(_) => {}
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock if done > 0 => return Ok(Read::Bytes(done)),
            io::ErrorKind::WouldBlock => return Ok(Read::WouldBlock),
            _ => return Err(CallError::wrap(format!("read fd {fd}"), error)),
        }
    }
