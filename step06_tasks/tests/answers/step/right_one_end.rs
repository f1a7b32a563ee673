        let control = &self.control;
        control.begin_step();
        if let Some(mut coroutine) = self.coroutine.take() {
            let polled = if let Some(cancelled) = self.cancelled_before_its_first_step() {
                Poll::Ready(Err(cancelled))
            } else {
                self.resume(coroutine.as_mut())
                    .unwrap_or_else(|payload| Poll::Ready(Err(Error::panicked(&*payload))))
            };
            let Poll::Ready(result) = polled else {
                if control.ended.get() {
                    return;
                }
                *self.coroutine.borrow_mut() = Some(coroutine);
                return control.deliver_late_cancel();
            };
            self.finish(result);
        }
