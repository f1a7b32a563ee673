    let mut failures = Vec::new();
    for &address in addresses {
        let mut attempt = Attempt::begin(address)?;
        let connecting = async {
            loop {
                attempt.until_writable().await?;
                match attempt.finish()? {
                    Progress::Connected(stream) => return Ok(stream),
                    Progress::NotYet(still) => attempt = still,
                }
            }
        };
        match connecting.await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
