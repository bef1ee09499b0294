//! Whole prompts: the same bytes, nothing breaks out, the bill adds up, the choice is right.

mod billing;
mod choice;
mod expected;
mod hostile;
mod layout;
mod same;
mod states;
mod words;
