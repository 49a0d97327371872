package kozyr

import (
	"fmt"
	"strings"
)

// A ProblemError is a refusal by the service that a retry would not change.
type ProblemError struct {
	// Status is the HTTP status.
	Status int
	// Problem is the problem document. Its fields are empty if the response had none; Code is then
	// "http_" and the status.
	Problem Problem
}

func (e *ProblemError) Error() string {
	detail := e.Problem.Detail
	if detail == "" {
		detail = "the response is not one of Kozyr; check the address of the service"
	}
	if len(e.Problem.Errors) > 0 {
		detail += fmt.Sprintf(" %v", e.Problem.Errors)
	}
	return fmt.Sprintf("kozyr: %s: %s", e.Problem.Code, detail)
}

// An UnreachableError means that no response came within the client's patience, or one that is not
// of the contract.
type UnreachableError struct {
	Err error
}

func (e *UnreachableError) Error() string { return fmt.Sprintf("kozyr: no usable response: %v", e.Err) }

// Unwrap returns the last failure.
func (e *UnreachableError) Unwrap() error { return e.Err }

// An IllegalMoveError means that a Chooser returned a move that is not legal in its turn. The clock
// runs on.
type IllegalMoveError struct {
	Match      string
	Turn       int
	Move       string
	LegalMoves []string
}

func (e *IllegalMoveError) Error() string {
	return fmt.Sprintf("kozyr: %q is not legal in turn %d of %s; legal: %s",
		e.Move, e.Turn, e.Match, strings.Join(e.LegalMoves, ", "))
}
