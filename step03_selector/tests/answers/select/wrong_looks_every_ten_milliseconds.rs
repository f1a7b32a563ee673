// hangs
        let end = timeout.map(|timeout| std::time::Instant::now() + timeout);
        ready.clear();
        loop {
            self.epoll.wait(&mut self.events, Some(Duration::from_millis(10)))?;
            for event in &self.events {
                if let Some(key) = self.registry.by_token(event.token()) {
                    ready.extend(key.ready(event));
                }
            }
            if !ready.is_empty() || end.is_some_and(|end| std::time::Instant::now() >= end) {
                return Ok(());
            }
        }
