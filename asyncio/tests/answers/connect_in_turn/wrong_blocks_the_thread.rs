    // hangs
    let mut failures = Vec::new();
    for &address in addresses {
        match std::net::TcpStream::connect(address) {
            Ok(stream) => return TcpStream::from_std(stream),
            Err(error) => {
                let error = CallError::wrap(format!("connect to {address}"), error);
                failures.push(Arc::new(error));
            }
        }
    }
    Err(all_of(failures))
