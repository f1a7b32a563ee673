        self.wait(events)?;
        let tokens: Vec<u64> = events.iter().map(crate::Event::token).collect();
        let (listener, clients): (Vec<u64>, Vec<u64>) =
            tokens.into_iter().partition(|token| *token == LISTENER);
        for token in clients {
            self.echo(token)?;
        }
        if listener.is_empty() { Ok(()) } else { self.accept() }
