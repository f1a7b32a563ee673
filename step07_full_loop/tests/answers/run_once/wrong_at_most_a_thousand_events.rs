        let timeout = self.core.clock.sleep_for(self.select_timeout());
        let mut events = self.core.events.take();
        self.selector().select(timeout, &mut events)?;
        let mut processed = Ok(());
        for event in events.drain(..).take(1000) {
            processed = processed.and(self.process_event(event));
        }
        self.core.events.replace(events);
        processed?;
        self.queue_due_timers();
        self.core.queue.run_ready();
        Ok(())
