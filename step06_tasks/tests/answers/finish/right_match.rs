        let state = self.state();
        let place = state.outcome.borrow().is_none();
        match place {
            false => Err(Error::InvalidState("already done")),
            true => {
                *state.outcome.borrow_mut() = Some(outcome);
                let waiting = state.callbacks.take();
                waiting.drain().for_each(|callback| self.schedule_one(callback));
                Ok(())
            }
        }
