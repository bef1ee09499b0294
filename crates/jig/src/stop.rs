//! Why a command ends early.

use std::io;

use jig_contract::OpError;

/// Ends a command.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It failed; the person is told.
    Failed(OpError),
    /// The command line was wrong, or asked only for help.
    Usage(Box<clap::Error>),
    /// It was carried out and found damage or a difference, which its output tells.
    Damage,
    /// Nobody reads the output any more, which is no fault of anyone.
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
