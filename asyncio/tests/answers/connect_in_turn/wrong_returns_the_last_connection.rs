    let (mut failures, mut connected) = (Vec::new(), None);
    for &address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => connected = Some(stream),
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    connected.ok_or_else(|| all_of(failures))
