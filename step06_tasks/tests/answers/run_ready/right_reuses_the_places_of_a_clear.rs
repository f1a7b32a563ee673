        let _entered = self.enter();
        let mut left = self.shared.ready.borrow().len();
        let mut count = 0;
        while left > 0 {
            let Some(ready) = self.shared.ready.borrow_mut().pop_front() else { break };
            self.run(ready);
            left -= 1;
            count += 1;
        }
        count
