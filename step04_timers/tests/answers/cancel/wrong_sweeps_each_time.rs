        // expect: busy for
        let value = self.values.take(id.sequence);
        if self.values.places() > SWEEP_ABOVE {
            self.values.sweep(self.values.places());
        }
        value
