        let left = other.when.as_nanos().wrapping_sub(self.when.as_nanos()) as i64;
        left.cmp(&0).then_with(|| other.sequence.cmp(&self.sequence))
