        let _entered = self.enter();
        let count = self.shared.ready.borrow().len();
        for done in 0..count {
            // A callback might have cleared the queue.
            if self.is_empty() {
                return done;
            }
            let ready = self.shared.ready.borrow_mut().pop_front().unwrap();
            self.run(ready);
        }
        count
