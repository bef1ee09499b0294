//! What counts as a doubt, and what as Jig's own.
