package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

var errTooDeep = fmt.Errorf("nested deeper than %d", maxDepth)

// splitJSON splits a stream of JSON values; false if it is none.
func splitJSON(data []byte) ([]json.RawMessage, bool) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var out []json.RawMessage
	for {
		var raw json.RawMessage
		switch err := decoder.Decode(&raw); {
		case errors.Is(err, io.EOF):
			return out, true
		case err != nil:
			return nil, false
		}
		out = append(out, raw)
	}
}

// readJSON decodes valid JSON. It goes token by token, because the ordinary
// decoder lets the last of two equal keys win without a word.
func readJSON(all []json.RawMessage) ([]any, error) {
	out := make([]any, 0, len(all))
	for i, raw := range all {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		value, err := jsonValue(decoder, 0)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		out = append(out, value)
	}
	return out, nil
}

func jsonValue(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	delim, opens := token.(json.Delim)
	switch {
	case !opens:
		return token, nil
	case depth >= maxDepth:
		return nil, errTooDeep
	case delim == '{':
		return jsonObject(decoder, depth)
	default:
		return jsonList(decoder, depth)
	}
}

func jsonObject(decoder *json.Decoder, depth int) (any, error) {
	out := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string) // in valid JSON it is one
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("byte %d: a key appears twice in one object", decoder.InputOffset())
		}
		if out[key], err = jsonValue(decoder, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := decoder.Token() // the closing brace
	return out, err
}

func jsonList(decoder *json.Decoder, depth int) (any, error) {
	out := []any{}
	for decoder.More() {
		value, err := jsonValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	_, err := decoder.Token() // the closing bracket
	return out, err
}
