        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            self.coroutine.take();
            self.finish(Err(cancelled));
            return;
        }
        let mut slot = self.coroutine.borrow_mut();
        let Some(coroutine) = slot.as_mut() else {
            return;
        };
        let resumed = self.resume(coroutine.as_mut());
        if let Ok(Poll::Pending) = resumed {
            drop(slot);
            self.control.deliver_late_cancel();
            return;
        }
        let coroutine = slot.take();
        drop(slot);
        drop(coroutine);
        match resumed {
            Ok(Poll::Ready(result)) => self.finish(result),
            Ok(Poll::Pending) => {}
            Err(payload) => self.finish(Err(Error::panicked(&*payload))),
        }
