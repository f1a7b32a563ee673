    let mut failures = Vec::new();
    let attempts: Vec<_> = addresses.iter().map(|&address| Attempt::begin(address)).collect();
    for begun in attempts {
        let connecting = async {
            let mut attempt = begun?;
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
