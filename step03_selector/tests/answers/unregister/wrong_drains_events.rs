        let key = self.registry.remove(&fd)?;
        let _ = self.epoll.delete(&fd);
        if key.trigger == Trigger::Edge {
            let _ = self.epoll.wait(&mut self.events, Some(Duration::ZERO));
        }
        Ok(key)
