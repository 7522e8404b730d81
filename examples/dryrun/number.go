package main

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
)

// maxOddNumber bounds the numbers that have to be converted. Those that JSON has
// too are never touched and have no bound.
const maxOddNumber = 1000

// decimalPattern takes apart what YAML calls a number and JSON does not: a plus,
// leading zeros, a bare point.
var decimalPattern = regexp.MustCompile(`^([-+]?)0*([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)

// yamlNumber returns the JSON number for a YAML one: its text where that is a
// JSON number already, else the same value, exactly. Infinities are no numbers.
func yamlNumber(text string) (json.Number, bool) {
	if isJSONNumber(text) {
		return json.Number(text), true
	}
	if len(text) > maxOddNumber {
		return "", false
	}
	text = strings.ReplaceAll(text, "_", "")
	if isJSONNumber(text) {
		return json.Number(text), true
	}
	// Base 0 reads 0x, 0b, 0o and the octal numbers of YAML 1.1, such as 0644.
	if whole, ok := new(big.Int).SetString(text, 0); ok {
		return json.Number(whole.String()), true
	}
	parts := decimalPattern.FindStringSubmatch(text)
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	if parts == nil || !strings.ContainsAny(mantissa, "0123456789") {
		return "", false
	}
	sign, whole, fraction, exponent := parts[1], parts[2], parts[3], parts[4]
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	number := strings.TrimPrefix(sign, "+") + whole + fraction + exponent
	return json.Number(number), isJSONNumber(number)
}

func isJSONNumber(text string) bool {
	if text == "" {
		return false
	}
	first, last := text[0], text[len(text)-1]
	digit := func(b byte) bool { return b >= '0' && b <= '9' }
	return (first == '-' || digit(first)) && digit(last) && json.Valid([]byte(text))
}
