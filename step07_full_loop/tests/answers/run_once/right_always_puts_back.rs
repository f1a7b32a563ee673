        let wanted = self.select_timeout();
        let timeout = self.core.clock.sleep_for(wanted);
        let mut events = std::mem::take(&mut *self.core.events.borrow_mut());
        let slept = self.selector().select(timeout, &mut events);
        let processed = events.drain(..).try_for_each(|event| self.process_event(event));
        *self.core.events.borrow_mut() = events;
        slept.and(processed)?;
        self.queue_due_timers();
        self.core.queue.run_ready();
        Ok(())
