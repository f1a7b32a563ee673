    let mut failures = Vec::new();
    for &address in addresses {
        let connecting = async {
            let mut attempt = Attempt::begin(address)?;
            loop {
                attempt.until_writable().await?;
                match attempt.finish()? {
                    Progress::Connected(stream) => return Ok(stream),
                    Progress::NotYet(still) => attempt = still,
                }
            }
        };
        match connecting.await {
            Ok(stream) => return Ok(stream),
            Err(Error::Io(failure)) => failures.push(failure),
            Err(error) if error.is_cancelled() => return Err(error),
            Err(_) => {}
        }
    }
    Err(all_of(failures))
