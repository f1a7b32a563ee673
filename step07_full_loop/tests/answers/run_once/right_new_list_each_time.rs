        let mut events = Vec::new();
        let wanted = self.select_timeout();
        let timeout = self.core.clock.sleep_for(wanted);
        self.selector().select(timeout, &mut events)?;
        self.core.queue.fetch_remote();
        events.into_iter().try_for_each(|event| readers::queue_event(self, event))?;
        self.queue_due_timers();
        self.core.queue.run_once();
        Ok(())
