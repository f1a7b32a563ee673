        let mut outbox = step01_fd::Outbox::new();
        outbox.push(bytes);
        bytes = &[];
        debug_assert!(bytes.is_empty());
        self.flush(&mut outbox).await
