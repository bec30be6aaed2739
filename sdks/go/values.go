package postrider

import "fmt"

// Secret is what the service shows once. No format of fmt and no JSON shows it: take it with Reveal, and keep it well.
type Secret string

const hidden = "[secret]"

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// Format keeps the secret out of every text.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(hidden)) }

// MarshalText keeps the secret out of JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Nullable is a field for which null is a value. The zero value leaves the field out.
type Nullable[T any] struct {
	value   T
	isGiven bool
	isNull  bool
}

// Value gives a field a value.
func Value[T any](value T) Nullable[T] { return Nullable[T]{value: value, isGiven: true} }

// Null gives a field null: it removes a description, say.
func Null[T any]() Nullable[T] { return Nullable[T]{isGiven: true, isNull: true} }

func (n Nullable[T]) given() (any, bool) {
	if n.isNull {
		return nil, true
	}
	return n.value, n.isGiven
}

// Bool gives a field that is true or false; without it, the service decides.
func Bool(value bool) *bool { return &value }

// VariableValues are the values of the placeholders {p1} to {p18}: Variables or VariableList.
type VariableValues interface {
	// By the names of the placeholders.
	byName() map[string]any
}

// Variables are texts or whole numbers by the names of the placeholders.
type Variables map[string]any

// VariableList has texts or whole numbers: the first is p1.
type VariableList []any

func (v Variables) byName() map[string]any { return v }

func (v VariableList) byName() map[string]any {
	named := map[string]any{}
	for at, value := range v {
		named[fmt.Sprintf("p%d", at+1)] = value
	}
	return named
}
