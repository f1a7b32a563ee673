        let newer = self.sequence.wrapping_sub(other.sequence) as i64;
        other.when.cmp(&self.when).then(0.cmp(&newer))
