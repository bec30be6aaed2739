package postrider

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Decimal is an amount of money: exact, with as many digits as the service sent. The zero value is 0. Compare with Cmp or
// Equal, not with ==.
type Decimal struct {
	// Nil stands for 0. Never changed once it is here.
	unscaled *big.Int
	// How many digits are behind the point.
	scale int
}

var decimalPattern = regexp.MustCompile(`^-?[0-9]{1,60}(\.[0-9]{1,60})?$`)

// ParseDecimal reads an amount such as "0.050000".
func ParseDecimal(text string) (Decimal, error) {
	if !decimalPattern.MatchString(text) {
		return Decimal{}, &ArgumentError{Message: fmt.Sprintf("%q is no decimal number like 0.050000", text)}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	unscaled, _ := new(big.Int).SetString(whole+fraction, 10)
	return Decimal{unscaled, len(fraction)}, nil
}

func (d Decimal) at(scale int) *big.Int {
	if d.unscaled == nil {
		return new(big.Int)
	}
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale-d.scale)), nil)
	return factor.Mul(factor, d.unscaled)
}

func commonScale(one, other Decimal) int {
	if one.scale > other.scale {
		return one.scale
	}
	return other.scale
}

// Add returns the sum, with as many digits as the longer of both.
func (d Decimal) Add(other Decimal) Decimal {
	scale := commonScale(d, other)
	return Decimal{new(big.Int).Add(d.at(scale), other.at(scale)), scale}
}

// Sub returns the difference, with as many digits as the longer of both.
func (d Decimal) Sub(other Decimal) Decimal {
	scale := commonScale(d, other)
	return Decimal{new(big.Int).Sub(d.at(scale), other.at(scale)), scale}
}

// Cmp returns -1, 0 or 1 as the amount is less than, equal to or more than the other: 0.5 equals 0.50.
func (d Decimal) Cmp(other Decimal) int {
	scale := commonScale(d, other)
	return d.at(scale).Cmp(other.at(scale))
}

// Equal tells whether both are the same amount: 0.5 equals 0.50.
func (d Decimal) Equal(other Decimal) bool { return d.Cmp(other) == 0 }

// Sign returns -1, 0 or 1 for an amount below, equal to or above 0.
func (d Decimal) Sign() int {
	if d.unscaled == nil {
		return 0
	}
	return d.unscaled.Sign()
}

// Rat returns the amount as a fraction, to calculate further with.
func (d Decimal) Rat() *big.Rat {
	return new(big.Rat).SetFrac(d.at(d.scale), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.scale)), nil))
}

// String returns the digits as the service sent them.
func (d Decimal) String() string {
	digits := new(big.Int).Abs(d.at(d.scale)).String()
	sign := ""
	if d.Sign() < 0 {
		sign = "-"
	}
	if d.scale == 0 {
		return sign + digits
	}
	if missing := d.scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - d.scale
	return sign + digits[:point] + "." + digits[point:]
}

// GoString is String.
func (d Decimal) GoString() string { return d.String() }

// MarshalText writes the digits; an amount is a text in JSON.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the digits.
func (d *Decimal) UnmarshalText(text []byte) error {
	parsed, err := ParseDecimal(string(text))
	if err == nil {
		*d = parsed
	}
	return err
}
