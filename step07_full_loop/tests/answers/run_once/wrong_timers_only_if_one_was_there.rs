        let wanted = self.select_timeout();
        let timeout = self.core.clock.sleep_for(wanted);
        let mut events = self.core.events.take();
        self.selector().select(timeout, &mut events)?;
        let mut processed = Ok(());
        for event in events.drain(..) {
            processed = processed.and(self.process_event(event));
        }
        self.core.events.replace(events);
        processed?;
        if wanted.is_some() {
            self.queue_due_timers();
        }
        self.core.queue.run_ready();
        Ok(())
