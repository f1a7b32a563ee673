        let _entered = self.enter();
        let mut ran = 0;
        while ran < self.shared.ready.borrow().len() {
            let next = self.shared.ready.borrow_mut().pop_front();
            if let Some(ready) = next {
                self.run(ready);
            }
            ran += 1;
        }
        ran
