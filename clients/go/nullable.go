package kozyr

import "encoding/json"

// A Nullable is a field of a request in which null means something else than leaving the field out.
// A nil pointer leaves it out.
type Nullable[T any] struct{ value *T }

// Value returns a field with this value.
func Value[T any](value T) *Nullable[T] { return &Nullable[T]{&value} }

// Null returns a field that is sent as null.
func Null[T any]() *Nullable[T] { return new(Nullable[T]) }

// MarshalJSON implements json.Marshaler.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &n.value) }
