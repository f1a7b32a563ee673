    let mut failures = Vec::new();
    for &address in addresses {
        let connecting = async {
            let mut attempt = loop {
                match Attempt::begin(address) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        step06_tasks::yield_now().await?;
                    }
                    begun => break begun?,
                }
            };
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
