        let _ = self.enter();
        let count = self.shared.ready.borrow().len();
        for _ in 0..count {
            let Some(runnable) = self.shared.ready.borrow_mut().pop_front() else {
                break;
            };
            self.run(runnable);
        }
        count
