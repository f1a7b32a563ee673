        let _entered = self.enter();
        let mut taken = 0;
        loop {
            let next = self.shared.ready.borrow_mut().pop_front();
            let Some(ready) = next else { return taken };
            taken += 1;
            self.run(ready);
        }
