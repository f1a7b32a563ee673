    let mut failures = Vec::new();
    for &address in addresses {
        let mut connecting = Box::pin(TcpStream::connect(address));
        let outcome = std::future::poll_fn(|context| connecting.as_mut().poll(context)).await;
        drop(connecting);
        if let Err(Error::Io(failure)) = outcome {
            failures.push(failure);
        } else {
            return outcome;
        }
    }
    Err(all_of(failures))
