    let mut failures = Vec::new();
    for &address in addresses {
        let connecting = async {
            let attempt = Attempt::begin(address)?;
            attempt.until_writable().await?;
            Ok(attempt.socket.into())
        };
        match connecting.await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
