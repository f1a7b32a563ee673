        let mut outbox = Outbox::new();
        outbox.push(bytes);
        self.flush(&mut outbox).await
