//! The remaining space while a prompt is being filled.

use crate::budget::Component;

/// The tokens left in the entire prompt.
#[derive(Debug)]
pub(crate) struct Room {
    free: u64,
}

/// The tokens that a component may still use.
#[derive(Debug)]
pub(crate) struct Allowance {
    pub(crate) component: Component,
    left: u64,
}

/// Why something does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Short {
    /// The window is full.
    Window,
    /// The component's budget is used up.
    Budget(Component),
}

impl Short {
    pub(crate) fn words(self) -> String {
        match self {
            Self::Window => "the model's window is full".to_owned(),
            Self::Budget(component) => format!("the budget for {} is used up", component.as_str()),
        }
    }
}

impl Room {
    pub(crate) fn new(free: u64) -> Self {
        Self { free }
    }

    /// Reserves space, as far as available.
    pub(crate) fn set_aside(&mut self, most: u64) -> u64 {
        let aside = most.min(self.free);
        self.free -= aside;
        aside
    }

    /// Uses space, if there is enough.
    pub(crate) fn take(&mut self, tokens: u64) -> Result<(), Short> {
        self.free = self.free.checked_sub(tokens).ok_or(Short::Window)?;
        Ok(())
    }

    /// Uses space within a component's budget, if there is enough of both.
    pub(crate) fn take_within(&mut self, allowance: &mut Allowance, tokens: u64) -> Result<(), Short> {
        let left = allowance.left.checked_sub(tokens).ok_or(Short::Budget(allowance.component))?;
        self.take(tokens)?;
        allowance.left = left;
        Ok(())
    }
}

impl Allowance {
    pub(crate) fn new(component: Component, budget: u64) -> Self {
        Self { component, left: budget }
    }

    /// Subtracts tokens that are already included, whatever the budget.
    pub(crate) fn used(&mut self, tokens: u64) {
        self.left = self.left.saturating_sub(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_hold_and_a_refusal_takes_nothing() {
        let mut room = Room::new(10);
        let mut files = Allowance::new(Component::Files, 8);
        assert_eq!(room.set_aside(3), 3);
        assert_eq!(room.take_within(&mut files, 9), Err(Short::Budget(Component::Files)));
        assert_eq!(room.take_within(&mut files, 8), Err(Short::Window));
        assert_eq!(room.take_within(&mut files, 7), Ok(()));
        assert_eq!(room.take(1), Err(Short::Window));
        files.used(5);
        assert_eq!(room.take_within(&mut files, 1), Err(Short::Budget(Component::Files)));
        assert_eq!(Short::Budget(Component::Files).words(), "the budget for files is used up");
    }
}
