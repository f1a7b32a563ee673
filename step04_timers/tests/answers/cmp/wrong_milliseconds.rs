        let millis = |entry: &Self| entry.when.as_nanos() / 1_000_000;
        (millis(other), other.sequence).cmp(&(millis(self), self.sequence))
