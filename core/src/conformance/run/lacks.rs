//! What a run could not have, so that it is not complete.

/// What is missing, and why.
#[derive(Clone, Debug, Default)]
pub(super) struct Lacks {
    /// Why something was left out, the first reason.
    cut_short: Option<String>,
    failed: Vec<Failed>,
}

/// The calls of a method that brought nothing to judge by.
#[derive(Clone, Debug)]
struct Failed {
    method: &'static str,
    calls: usize,
    /// Why the first of them.
    reason: String,
}

impl Lacks {
    /// Something was left out: a limit was reached, or what was looked at changed meanwhile.
    pub(super) fn cut_short(&mut self, reason: &str) {
        self.cut_short.get_or_insert_with(|| reason.to_owned());
    }

    /// A call of this method brought nothing to judge by.
    pub(super) fn failed(&mut self, method: &'static str, reason: &str) {
        match self.failed.iter_mut().find(|failed| failed.method == method) {
            Some(failed) => failed.calls += 1,
            None => self.failed.push(Failed { method, calls: 1, reason: reason.to_owned() }),
        }
    }

    /// Each lack in words.
    pub(super) fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<_> = self.cut_short.iter().cloned().collect();
        for Failed { method, calls, reason } in &self.failed {
            let ending = if *calls == 1 { "" } else { "s" };
            reasons.push(format!("{calls} {method} call{ending} failed ({reason})"));
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lack_is_told_once_with_its_first_reason() {
        let mut lacks = Lacks::default();
        assert!(lacks.reasons().is_empty());
        lacks.failed("skills/get", "busy");
        lacks.failed("resources/read", "broken off");
        lacks.failed("resources/read", "silent");
        lacks.cut_short("a limit");
        lacks.cut_short("another limit");
        assert_eq!(
            lacks.reasons(),
            [
                "a limit",
                "1 skills/get call failed (busy)",
                "2 resources/read calls failed (broken off)"
            ]
        );
    }
}
