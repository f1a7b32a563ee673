    let mut failures = Vec::new();
    for &address in addresses {
        let connecting = async {
            let mut attempt = Attempt::begin(address)?;
            loop {
                attempt.until_writable().await?;
                match attempt.finish()? {
                    Progress::Connected(stream) => return Ok(stream),
                    Progress::NotYet(_) => attempt = Attempt::begin(address)?,
                }
            }
        };
        match connecting.await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
