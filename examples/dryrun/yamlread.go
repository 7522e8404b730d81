package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxAliasBytes bounds what aliases may expand to, roughly in bytes: nine lines
// of YAML can say a billion values.
const maxAliasBytes = 16 << 20

// readYAML reads a stream of YAML documents into the values that JSON would
// have, as kubectl reads them (YAML 1.1, in which yes and on are true). Numbers
// keep their digits and times stay text.
func readYAML(data []byte) ([]any, error) {
	next := yamlStream(bytes.NewReader(data))
	reader := yamlReader{open: map[*yamlNode]bool{}, left: maxAliasBytes}
	var out []any
	for {
		var root yamlNode
		err := next(&root)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		var value any
		if err == nil && len(root.Content) > 0 {
			value, err = reader.value(root.Content[0], 0)
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %s", len(out)+1, yamlProblem(err))
		}
		out = append(out, value)
	}
}

// yamlProblem keeps the parser's words, except where they quote the document.
func yamlProblem(err error) string {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.Contains(message, "unknown anchor") {
		return "an alias has no anchor"
	}
	return message
}

// yamlReader is the state of one file.
type yamlReader struct {
	open map[*yamlNode]bool // anchors whose value is being read
	left int                // of maxAliasBytes
}

func (r *yamlReader) value(n *yamlNode, depth int) (any, error) {
	if depth >= maxDepth {
		return nil, errTooDeep
	}
	if len(r.open) > 0 {
		if r.left -= len(n.Value) + 16; r.left < 0 {
			return nil, at(n, "the aliases expand to too much")
		}
	}
	switch n.Kind {
	case yamlAlias:
		return r.alias(n, depth)
	case yamlMapping:
		return r.object(n, depth)
	case yamlSequence:
		return r.list(n, depth)
	case yamlScalar:
		return scalarValue(n)
	case yamlDocument: // only ever outermost
	}
	return nil, at(n, "not a YAML value")
}

func (r *yamlReader) alias(n *yamlNode, depth int) (any, error) {
	if r.open[n.Alias] {
		return nil, at(n, "an anchor contains itself")
	}
	r.open[n.Alias] = true
	defer delete(r.open, n.Alias)
	return r.value(n.Alias, depth+1)
}

func (r *yamlReader) list(n *yamlNode, depth int) (any, error) {
	if n.ShortTag() != "!!seq" {
		return nil, at(n, "the tag is not supported")
	}
	out := make([]any, 0, len(n.Content))
	for _, element := range n.Content {
		value, err := r.value(element, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

func (r *yamlReader) object(n *yamlNode, depth int) (any, error) {
	if n.ShortTag() != "!!map" {
		return nil, at(n, "the tag is not supported")
	}
	out := map[string]any{}
	var merged *yamlNode
	for i := 0; i+1 < len(n.Content); i += 2 {
		keyNode, valueNode := n.Content[i], n.Content[i+1]
		if keyNode.Kind == yamlScalar && keyNode.ShortTag() == "!!merge" {
			if merged != nil {
				return nil, at(keyNode, "a key appears twice in one object")
			}
			merged = valueNode
			continue
		}
		key, err := keyText(keyNode)
		if err != nil {
			return nil, err
		}
		if _, twice := out[key]; twice {
			return nil, at(keyNode, "a key appears twice in one object")
		}
		if out[key], err = r.value(valueNode, depth+1); err != nil {
			return nil, err
		}
	}
	if merged == nil {
		return out, nil
	}
	return out, r.merge(out, merged, depth)
}

// merge adds what << names. Own keys win, then the earlier of several sources.
func (r *yamlReader) merge(out map[string]any, from *yamlNode, depth int) error {
	sources := []*yamlNode{from}
	if from.Kind == yamlSequence {
		sources = from.Content
	}
	for _, source := range sources {
		value, err := r.value(source, depth+1)
		if err != nil {
			return err
		}
		object, ok := value.(map[string]any)
		if !ok {
			return at(source, "only objects can be merged")
		}
		for key, value := range object {
			if _, own := out[key]; !own {
				out[key] = value
			}
		}
	}
	return nil
}

// keyText is a key as JSON has it: text. Numbers and booleans become what they
// would be as values.
func keyText(n *yamlNode) (string, error) {
	if n.Kind == yamlAlias {
		n = n.Alias
	}
	if n.Kind != yamlScalar {
		return "", at(n, "a key is an object or a list")
	}
	value, err := scalarValue(n)
	if err != nil {
		return "", err
	}
	if value == nil {
		return "", at(n, "a key is null")
	}
	return fmt.Sprint(value), nil
}

func scalarValue(n *yamlNode) (any, error) {
	switch n.ShortTag() {
	case "!!str":
		if plain := n.Style&(yamlTagged|yamlNotPlain) == 0; plain {
			if value, ok := oldBoolean(n.Value); ok {
				return value, nil
			}
		}
		return n.Value, nil
	case "!!timestamp", "!!merge": // as a value << merges nothing
		return n.Value, nil
	case "!!null":
		return nil, nil //nolint:nilnil // null is a value
	case "!!bool":
		if value, ok := oldBoolean(n.Value); ok {
			return value, nil
		}
		return nil, at(n, "not a boolean")
	case "!!int", "!!float":
		number, ok := yamlNumber(n.Value)
		if !ok {
			return nil, at(n, "a number that JSON cannot hold")
		}
		return number, nil
	default:
		return nil, at(n, "the tag is not supported")
	}
}

// oldBoolean knows the booleans of YAML 1.1, which kubectl reads: the value, and
// whether the text is one.
func oldBoolean(text string) (bool, bool) {
	switch text {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE":
		return true, true
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE":
		return false, true
	default:
		return false, false
	}
}

func at(n *yamlNode, message string) error { return fmt.Errorf("line %d: %s", n.Line, message) }
