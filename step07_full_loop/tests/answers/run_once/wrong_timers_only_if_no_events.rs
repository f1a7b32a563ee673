        let timeout = self.core.clock.sleep_for(self.select_timeout());
        let mut events = self.core.events.take();
        self.selector().select(timeout, &mut events)?;
        let is_quiet = events.is_empty();
        for event in events.drain(..) {
            self.process_event(event)?;
        }
        self.core.events.replace(events);
        if is_quiet || timeout == Some(Duration::ZERO) {
            self.queue_due_timers();
        }
        self.core.queue.run_ready();
        Ok(())
