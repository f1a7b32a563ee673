        let _entered = self.enter();
        let round: Vec<_> = self.shared.ready.borrow_mut().drain(..).collect();
        let count = round.len();
        round.into_iter().for_each(|ready| self.run(ready));
        count
