        let when = |entry: &Self| entry.when.as_nanos() as i64;
        when(other).cmp(&when(self)).then(other.sequence.cmp(&self.sequence))
