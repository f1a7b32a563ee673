        let wanted = self.select_timeout();
        let timeout = match (self.core.clock.sleep_for(wanted), wanted) {
            (Some(timeout), Some(wanted)) => Some(timeout.min(wanted)),
            (timeout, wanted) => timeout.or(wanted),
        };
        let mut events = self.core.events.take();
        self.selector().select(timeout, &mut events)?;
        let mut processed = Ok(());
        for event in events.drain(..) {
            processed = processed.and(self.process_event(event));
        }
        self.core.events.replace(events);
        processed?;
        self.queue_due_timers();
        self.core.queue.run_ready();
        Ok(())
