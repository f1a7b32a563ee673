    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(Error::Io(failure)) => failures.push(failure),
            Err(error) if error.is_cancelled() => return Err(error),
            Err(_) => {}
        }
    }
    Err(all_of(failures))
