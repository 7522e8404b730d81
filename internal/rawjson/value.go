package rawjson

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Text reads a JSON text, quotes included, as encoding/json does (S12): escapes are
// read, and what is no UTF-8 becomes U+FFFD.
func Text(value []byte) string {
	if inner := value[1 : len(value)-1]; isPlain(inner) {
		return string(inner)
	}
	var text string
	// Cannot fail: the scan found a text here.
	_ = json.Unmarshal(value, &text)
	return text
}

// Decode reads a value as encoding/json does, with numbers as json.Number (S3).
func Decode(value []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	// Cannot fail: the scan found a value here.
	_ = decoder.Decode(&decoded)
	return decoded
}

// isPlain says that the inside of a JSON text means itself.
func isPlain(inner []byte) bool {
	for _, b := range inner {
		if b == '\\' || b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
