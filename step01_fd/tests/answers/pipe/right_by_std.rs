    let (reader, writer) = io::pipe()?;
    let (reader, writer) = (OwnedFd::from(reader), OwnedFd::from(writer));
    set_nonblocking(&reader, true)?;
    set_nonblocking(&writer, true)?;
    Ok((reader, writer))
