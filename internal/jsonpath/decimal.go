package jsonpath

import (
	"cmp"
	"strconv"
	"strings"
)

// decimal is a number as it is written: whole.frac times ten to the exp.
type decimal struct {
	neg         bool
	whole, frac string // digits
	exp         int64
	wild        bool // the exponent has too many digits to hold; exp has its sign only
}

// parseDecimal splits a JSON number; the bool is false for any other text.
func parseDecimal(text string) (decimal, bool) {
	var d decimal
	rest, neg := strings.CutPrefix(text, "-")
	d.neg = neg
	d.whole, rest = digits(rest)
	if d.whole == "" || (len(d.whole) > 1 && d.whole[0] == '0') {
		return d, false
	}
	if after, found := strings.CutPrefix(rest, "."); found {
		if d.frac, rest = digits(after); d.frac == "" {
			return d, false
		}
	}
	if rest == "" {
		return d, true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return d, false
	}
	return d.withExponent(rest[1:])
}

func (d decimal) withExponent(text string) (decimal, bool) {
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	number, rest := digits(text)
	if number == "" || rest != "" {
		return d, false
	}
	number = strings.TrimLeft(number, "0")
	if len(number) > maxExponentDigits {
		d.wild, number = true, "1"
	}
	// Cannot fail: digits only and few of them; empty means zero.
	d.exp, _ = strconv.ParseInt("0"+number, 10, 64)
	if negative {
		d.exp = -d.exp
	}
	return d, true
}

// digits cuts the digits off the front of a text.
func digits(text string) (string, string) {
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return text[:i], text[i:]
}

func (d decimal) length() int { return len(d.whole) + len(d.frac) }

// digit gives the i-th digit, and zeros behind the last.
func (d decimal) digit(i int) byte {
	switch {
	case i < len(d.whole):
		return d.whole[i]
	case i < d.length():
		return d.frac[i-len(d.whole)]
	}
	return '0'
}

// lead counts the zeros before the first other digit.
func (d decimal) lead() int {
	i := 0
	for i < d.length() && d.digit(i) == '0' {
		i++
	}
	return i
}

func (d decimal) isZero() bool { return d.lead() == d.length() }

// point is the place of the decimal point, counted from the first digit.
func (d decimal) point() int64 { return int64(len(d.whole)) + d.exp }

func (d decimal) sign() int {
	switch {
	case d.isZero():
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// compare orders by value: signs first, then magnitude, then digits.
func (d decimal) compare(other decimal) int {
	sign := d.sign()
	if order := cmp.Compare(sign, other.sign()); order != 0 || sign == 0 {
		return order
	}
	i, j := d.lead(), other.lead()
	if order := cmp.Compare(d.point()-int64(i), other.point()-int64(j)); order != 0 {
		return order * sign
	}
	for ; i < d.length() || j < other.length(); i, j = i+1, j+1 {
		if order := cmp.Compare(d.digit(i), other.digit(j)); order != 0 {
			return order * sign
		}
	}
	return 0
}

// expand writes the number without an exponent, all digits kept. The length is
// checked first: 1e1000000 must not cost a megabyte.
func (d decimal) expand() (string, bool, error) {
	n, lead := int64(d.length()), int64(d.lead())
	wholeDigits := max(1, d.point()-lead)
	if d.isZero() {
		wholeDigits = 1
	}
	if d.wild && (d.exp < 0 || !d.isZero()) || wholeDigits+max(0, n-d.point()) > MaxNumberDigits {
		return "", false, tooLarge("a number has more than " + strconv.Itoa(MaxNumberDigits) + " digits when written out")
	}
	return d.signText() + d.write(d.point()), true, nil
}

func (d decimal) signText() string {
	if d.neg {
		return "-"
	}
	return ""
}

func (d decimal) write(point int64) string {
	text := d.whole + d.frac
	n := int64(len(text))
	switch {
	case point <= 0:
		return "0." + strings.Repeat("0", int(-point)) + text
	case point >= n && d.isZero():
		return "0"
	case point >= n:
		return strings.TrimLeft(text, "0") + strings.Repeat("0", int(point-n))
	}
	whole := strings.TrimLeft(text[:point], "0")
	if whole == "" {
		whole = "0"
	}
	return whole + "." + text[point:]
}
