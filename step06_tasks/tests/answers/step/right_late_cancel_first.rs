        self.control.begin_step();
        let Some(mut coroutine) = self.coroutine.take() else { return };
        let result = if let Some(cancelled) = self.cancelled_before_its_first_step() {
            Err(cancelled)
        } else {
            match self.resume(coroutine.as_mut()) {
                Ok(Poll::Ready(result)) => result,
                Err(panic) => Err(Error::panicked(panic.as_ref())),
                Ok(Poll::Pending) => {
                    self.control.deliver_late_cancel();
                    if !self.control.ended.get() {
                        self.coroutine.replace(Some(coroutine));
                    }
                    return;
                }
            }
        };
        self.finish(result);
