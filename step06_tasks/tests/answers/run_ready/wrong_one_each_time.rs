        let _entered = self.enter();
        let next = self.shared.ready.borrow_mut().pop_front();
        match next {
            Some(ready) => {
                self.run(ready);
                1
            }
            None => 0,
        }
