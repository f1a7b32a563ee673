        let key = |entry: &Self| std::cmp::Reverse((entry.when, entry.sequence));
        key(self).cmp(&key(other))
