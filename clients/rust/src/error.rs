use std::fmt;

use crate::types::{Problem, ProblemCode};

/// Why a call of the client failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The service refused a request, and a retry would not change that. `problem` is absent if the
    /// response had none.
    Refused { status: u16, problem: Option<Box<Problem>> },
    /// No response came within the client's patience, or one that is not of the contract.
    Unreachable(String),
    /// The bot chose a move that is not legal in its turn. The clock runs on.
    IllegalMove { match_id: String, turn: u64, chosen: String, legal_moves: Vec<String> },
    /// The client cannot be used as it was configured.
    Configuration(String),
}

impl Error {
    /// Returns the problem's code, if the service gave one.
    pub fn code(&self) -> Option<&ProblemCode> {
        match self {
            Error::Refused { problem: Some(problem), .. } => Some(&problem.code),
            _ => None,
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Refused { status, problem: None } => {
                write!(f, "http_{status}: the response is not one of Kozyr; check the address of the service")
            }
            Error::Refused { problem: Some(problem), .. } => {
                write!(f, "{}: {}", problem.title, problem.detail)?;
                problem.errors.as_ref().map_or(Ok(()), |errors| write!(f, " {errors:?}"))
            }
            Error::Unreachable(why) => write!(f, "no usable response: {why}"),
            Error::IllegalMove { match_id, turn, chosen, legal_moves } => write!(
                f,
                "{chosen:?} is not legal in turn {turn} of {match_id}; legal: {}",
                legal_moves.join(", ")
            ),
            Error::Configuration(why) => f.write_str(why),
        }
    }
}
