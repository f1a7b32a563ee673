        let wanted = self.select_timeout();
        let began = self.time();
        let timeout = self.core.clock.sleep_for(wanted);
        let mut events = self.core.events.take();
        self.selector().select(timeout, &mut events)?;
        let mut processed = Ok(());
        for event in events.drain(..) {
            processed = processed.and(self.process_event(event));
        }
        self.core.events.replace(events);
        processed?;
        // Nothing can be due before the sleep is over, unless the queue was busy.
        let slept = self.time() - began;
        if wanted.is_none_or(|wanted| wanted.is_zero() || slept >= wanted) {
            self.queue_due_timers();
        }
        self.core.queue.run_ready();
        Ok(())
