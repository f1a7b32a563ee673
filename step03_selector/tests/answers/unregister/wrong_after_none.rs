        let key = self.registry.remove(&fd)?;
        if !(key.interest.is_empty() && key.trigger == Trigger::Edge) {
            let _ = self.epoll.delete(&fd);
        }
        Ok(key)
