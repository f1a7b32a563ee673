        let _entered = self.enter();
        let ready_now = self.shared.ready.borrow().len();
        for count in 0..ready_now {
            let Some(next) = self.shared.ready.borrow_mut().pop_front() else {
                // Someone has cleared the queue.
                return count;
            };
            self.run(next);
        }
        ready_now
