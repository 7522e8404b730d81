package rawjson

import (
	"encoding/json"
	"unicode/utf8"
)

// Text reads a JSON text that a scan found, quotes included, as encoding/json does
// (S12): escapes are read, and what is no UTF-8 becomes U+FFFD.
func Text(value []byte) string {
	if inner := value[1 : len(value)-1]; isPlain(inner) {
		return string(inner)
	}
	var decoded string
	// Cannot fail: the scan found a text here.
	_ = json.Unmarshal(value, &decoded)
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

// Decode reads a value that a scan found as encoding/json does, with numbers as
// json.Number (S3). The result does not refer to it.
func Decode(value []byte) any {
	decoded, _ := text(value).decode(0)
	return decoded
}

// decode gives the value that starts at a position, and the position behind it. It
// checks nothing: the scan did.
func (d text) decode(i int) (any, int) {
	switch d[i] {
	case '{':
		return d.decodeObject(i)
	case '[':
		return d.decodeList(i)
	case '"':
		end := d.quoted(i)
		return Text(d[i:end]), end
	case 't':
		return true, i + len("true")
	case 'f':
		return false, i + len("false")
	case 'n':
		return nil, i + len("null")
	}
	end := d.number(i)
	return json.Number(d[i:end]), end
}

func (d text) decodeObject(i int) (any, int) {
	object := map[string]any{}
	for i = d.space(i + 1); d[i] != '}'; i = d.next(i) {
		end := d.quoted(i)
		key := Text(d[i:end])
		object[key], i = d.decode(d.space(d.space(end) + 1))
	}
	return object, i + 1
}

func (d text) decodeList(i int) (any, int) {
	list := []any{}
	for i = d.space(i + 1); d[i] != ']'; i = d.next(i) {
		var item any
		item, i = d.decode(i)
		list = append(list, item)
	}
	return list, i + 1
}

// next gives the start of the next item, or the end of the list or object.
func (d text) next(i int) int {
	if i = d.space(i); d[i] == ',' {
		return d.space(i + 1)
	}
	return i
}
