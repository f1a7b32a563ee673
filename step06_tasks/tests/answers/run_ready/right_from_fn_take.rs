        let _entered = self.enter();
        let round = self.shared.ready.borrow().len();
        let mut taken = 0;
        for runnable in std::iter::from_fn(|| self.shared.ready.borrow_mut().pop_front()).take(round) {
            taken += 1;
            self.run(runnable);
        }
        taken
