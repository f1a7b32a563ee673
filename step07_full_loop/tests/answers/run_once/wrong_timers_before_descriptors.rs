        let timeout = self.core.clock.sleep_for(self.select_timeout());
        let mut events = mem::take(&mut *self.core.events.borrow_mut());
        self.selector().select(timeout, &mut events)?;
        self.core.queue.fetch_remote();
        self.queue_due_timers();
        for event in events.drain(..) {
            readers::queue_event(self, event)?;
        }
        *self.core.events.borrow_mut() = events;
        self.core.queue.run_once();
        Ok(())
