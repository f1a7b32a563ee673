        let Some(mut coroutine) = self.coroutine.take() else { return };
        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            drop(coroutine);
            return self.finish(Err(cancelled));
        }
        let result = match self.resume(coroutine.as_mut()) {
            Ok(Poll::Ready(result)) => result,
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
                return;
            }
            Err(payload) => Err(Error::panicked(&*payload)),
        };
        // Frees what the coroutine owns before anybody hears that the task is done.
        drop(coroutine);
        self.finish(result);
