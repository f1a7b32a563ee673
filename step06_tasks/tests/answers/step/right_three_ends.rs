        self.control.begin_step();
        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            self.finish(Err(cancelled));
            return;
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                if self.done() {
                    return self.abandon();
                }
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(payload) => self.finish(Err(Error::panicked(&*payload))),
        }
