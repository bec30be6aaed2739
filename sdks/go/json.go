package postrider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A field of a request or a filter, as it travels.
type field struct {
	name  string
	value any
}

var nullableType = reflect.TypeOf((*interface{ given() (any, bool) })(nil)).Elem()

// givenFields returns the fields of a struct that are given. What may be left out and has its zero value is: an empty
// list is given, one that is nil is not.
func givenFields(record any) []field {
	value := reflect.ValueOf(record)
	fields := make([]field, 0, value.NumField())
	for at := 0; at < value.NumField(); at++ {
		name, option, _ := strings.Cut(value.Type().Field(at).Tag.Get("json"), ",")
		one := value.Field(at)
		if one.Type().Implements(nullableType) {
			if inner, isGiven := one.Interface().(interface{ given() (any, bool) }).given(); isGiven {
				fields = append(fields, field{name, inner})
			}
			continue
		}
		if option == "omitempty" && one.IsZero() {
			continue
		}
		fields = append(fields, field{name, one.Interface()})
	}
	return fields
}

// encodeJSON writes JSON as JavaScript does: compact, fields in their order, and characters as they are. The name of a
// batch without one is made of it.
func encodeJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	err := writeJSON(&out, reflect.ValueOf(value))
	return out.Bytes(), err
}

func writeJSON(out *bytes.Buffer, value reflect.Value) error {
	if !value.IsValid() {
		out.WriteString("null")
		return nil
	}
	if fields, isFields := value.Interface().([]field); isFields {
		return writeFields(out, fields)
	}
	switch known := value.Interface().(type) {
	case time.Time:
		writeText(out, writeTime(known))
		return nil
	case Decimal:
		writeText(out, known.String())
		return nil
	case json.Number:
		out.WriteString(known.String())
		return nil
	}
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		return writeJSON(out, value.Elem())
	case reflect.String:
		writeText(out, value.String())
		return nil
	case reflect.Slice, reflect.Array:
		out.WriteByte('[')
		for at := 0; at < value.Len(); at++ {
			if at > 0 {
				out.WriteByte(',')
			}
			if err := writeJSON(out, value.Index(at)); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case reflect.Map:
		return writeMap(out, value)
	case reflect.Struct:
		return writeFields(out, givenFields(value.Interface()))
	default:
		text, err := json.Marshal(value.Interface())
		if err != nil {
			return &ArgumentError{Message: fmt.Sprintf("%s cannot be sent", value.Type())}
		}
		out.Write(text)
		return nil
	}
}

func writeFields(out *bytes.Buffer, fields []field) error {
	out.WriteByte('{')
	for at, one := range fields {
		if at > 0 {
			out.WriteByte(',')
		}
		writeText(out, one.name)
		out.WriteByte(':')
		if err := writeJSON(out, reflect.ValueOf(one.value)); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// A map has no order of its own: p2 comes before p10.
func writeMap(out *bytes.Buffer, value reflect.Value) error {
	fields := make([]field, 0, value.Len())
	for _, key := range value.MapKeys() {
		if key.Kind() != reflect.String {
			return &ArgumentError{Message: fmt.Sprintf("%s cannot be sent", value.Type())}
		}
		fields = append(fields, field{key.String(), value.MapIndex(key).Interface()})
	}
	sort.Slice(fields, func(i, j int) bool {
		one, other := fields[i].name, fields[j].name
		return len(one) < len(other) || len(one) == len(other) && one < other
	})
	return writeFields(out, fields)
}

func writeText(out *bytes.Buffer, text string) {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	out.WriteByte('"')
	for _, character := range text {
		if escaped, isShort := short[character]; isShort {
			out.WriteString(escaped)
		} else if character < ' ' {
			fmt.Fprintf(out, `\u%04x`, character)
		} else {
			out.WriteRune(character)
		}
	}
	out.WriteByte('"')
}

func writeTime(value time.Time) string { return value.UTC().Format("2006-01-02T15:04:05.000Z") }

// encodeQuery writes the parameters that are given.
func encodeQuery(fields []field) string {
	parts := make([]string, 0, len(fields))
	for _, one := range fields {
		parts = append(parts, one.name+"="+escape(writeWord(one.value)))
	}
	return strings.Join(parts, "&")
}

func writeWord(value any) string {
	switch known := value.(type) {
	case time.Time:
		return writeTime(known)
	case int:
		return strconv.Itoa(known)
	case *bool:
		return strconv.FormatBool(*known)
	default:
		return fmt.Sprint(known)
	}
}

func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// fillPath puts parameters into a path, encoded.
func fillPath(pattern string, parameters ...any) string {
	for _, one := range parameters {
		pattern = strings.Replace(pattern, "{}", escape(fmt.Sprint(one)), 1)
	}
	return pattern
}

// decode reads the JSON object that the service answered. Fields that a later service has added are left out, words kept,
// and no number becomes a float.
func decode(content []byte, into any) error {
	if trimmed := bytes.TrimSpace(content); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("it is no JSON object")
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("more follows the JSON object")
	}
	return nil
}
