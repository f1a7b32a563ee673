        let when = |entry: &Self| entry.when.as_nanos() as f64;
        when(other).total_cmp(&when(self)).then(other.sequence.cmp(&self.sequence))
