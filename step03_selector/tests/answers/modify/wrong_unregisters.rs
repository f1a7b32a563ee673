        let trigger = self.registry.find(&fd)?.1.trigger;
        let before = self.unregister(&fd)?;
        self.add(&fd, SelectorKey { interest, trigger, data })?;
        Ok(before)
