        // expect: Cid registers pipe.w, NONE:     registered
        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
