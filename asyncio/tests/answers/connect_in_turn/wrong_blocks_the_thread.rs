    // hangs
    let mut failures = Vec::new();
    for address in addresses {
        match TcpStream::connect(address) {
            Ok(stream) => return Ok(stream),
            Err(error) => {
                let error = CallError::wrap(format!("connect to {address}"), error);
                failures.push(Arc::new(error));
            }
        }
    }
    Err(all_of(failures))
