package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// render is the whole output.
func render(p plan, format string) ([]byte, error) {
	switch format {
	case "json":
		return indentJSON(p)
	case "yaml":
		raw, err := encodeJSON(p)
		if err != nil {
			return nil, err
		}
		return jsonToYAML(raw)
	case "timeline":
		return []byte(p.picture.Text()), nil
	case "svg":
		return []byte(p.picture.SVG()), nil
	default:
		return p.text(), nil
	}
}

// encodeJSON writes JSON as people write it: no escapes for the sake of HTML.
// Numbers keep their text.
func encodeJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return out.Bytes(), err
}

func indentJSON(value any) ([]byte, error) {
	raw, err := encodeJSON(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, raw, "", "  ")
	return out.Bytes(), err
}

// jsonToYAML writes the same document, keys in the same order, numbers with the
// same text.
func jsonToYAML(raw []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	root, err := yamlFromTokens(decoder)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = yamlWrite(&out, root)
	return out.Bytes(), err
}

func yamlFromTokens(decoder *json.Decoder) (*yamlNode, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	delim, opens := token.(json.Delim)
	if !opens {
		return yamlLeaf(token), nil
	}
	n := &yamlNode{Kind: yamlMapping, Tag: "!!map"}
	if delim == '[' {
		n = &yamlNode{Kind: yamlSequence, Tag: "!!seq"}
	}
	for decoder.More() {
		child, err := yamlFromTokens(decoder)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, child)
	}
	_, err = decoder.Token() // the closing bracket or brace
	return n, err
}

func yamlLeaf(value any) *yamlNode {
	switch v := value.(type) {
	case json.Number:
		return &yamlNode{Kind: yamlScalar, Tag: numberTag(v.String()), Value: v.String()}
	case bool:
		return &yamlNode{Kind: yamlScalar, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case string:
		n := &yamlNode{Kind: yamlScalar, Tag: "!!str", Value: v}
		if needsQuotes(v) {
			n.Style = yamlQuoted
		}
		return n
	default:
		return &yamlNode{Kind: yamlScalar, Tag: "!!null", Value: "null"}
	}
}

// numberTag is the tag that a reader gives the text by itself, so that it need
// not be written: whole numbers beyond 64 bits are floats to it.
func numberTag(text string) string {
	_, signed := strconv.ParseInt(text, 10, 64)
	_, unsigned := strconv.ParseUint(text, 10, 64)
	if signed == nil || unsigned == nil {
		return "!!int"
	}
	return "!!float"
}

// needsQuotes is for texts that some reader takes for something else: the old
// booleans, numbers with colons, and white space that a line may lose. The YAML
// library quotes what it takes for something else itself.
func needsQuotes(text string) bool {
	_, boolean := oldBoolean(text)
	return boolean || text == "<<" || text == "=" || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\r\t\u0085\u2028\u2029\ufeff") ||
		strings.Trim(text, "0123456789:._+-") == ""
}
