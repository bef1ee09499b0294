//! Reasons to end a command early.

use std::io;

use jig_contract::OpError;

/// Why a command ended.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The command failed; the error is printed.
    Failed(OpError),
    /// The command line was invalid, or asked only for help.
    Usage(Box<clap::Error>),
    /// The command ran and found damage or a difference, which its output describes.
    Damage,
    /// Standard output is closed. Not a failure.
    NobodyReads,
}

impl From<OpError> for Stop {
    fn from(error: OpError) -> Self {
        Self::Failed(error)
    }
}

impl From<clap::Error> for Stop {
    fn from(error: clap::Error) -> Self {
        Self::Usage(Box::new(error))
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::NobodyReads;
        }
        Self::Failed(
            OpError::new(jig_contract::Code::FileWriteFailed, format!("the output could not be written: {error}"))
                .because(error),
        )
    }
}
