package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// What one input may be. More is a mistake, or an attack on the reader.
const (
	maxInputBytes = 64 << 20
	maxDepth      = 1000
)

// standardInput is the file name that stands for it.
const standardInput = "-"

// document is one object of the input: as decoded JSON, with every number a
// json.Number that keeps its text.
type document struct {
	where  string // the file and the place in it, for people
	object map[string]any
}

// readFiles reads all documents of all files, in order. Lists are taken apart.
func readFiles(names []string, stdin io.Reader) ([]document, error) {
	var all []document
	for _, name := range names {
		data, label, err := readFile(name, stdin)
		if err != nil {
			return nil, err
		}
		documents, err := readDocuments(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		for _, d := range documents {
			d.where = label + ": " + d.where
			all = append(all, d)
		}
	}
	return all, nil
}

func readFile(name string, stdin io.Reader) ([]byte, string, error) {
	label, source := name, stdin
	if name == standardInput {
		label = "standard input"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return nil, "", err
		}
		defer func() { _ = file.Close() }() // it was only read
		source = file
	}
	data, err := io.ReadAll(io.LimitReader(source, maxInputBytes+1))
	if err != nil {
		return nil, "", err
	}
	if len(data) > maxInputBytes {
		return nil, "", fmt.Errorf("%s: larger than %d MiB", label, maxInputBytes>>20)
	}
	return data, label, nil
}

// readDocuments reads a stream of JSON or YAML documents. Empty ones are skipped
// and still counted, so that the number in an error is the one a person counts.
// Errors never quote the document.
func readDocuments(data []byte) ([]document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	values, err := readValues(data)
	if err != nil {
		return nil, err
	}
	var out []document
	for i, value := range values {
		if value == nil {
			continue
		}
		documents, err := unpack(value, fmt.Sprintf("document %d", i+1), 0)
		if err != nil {
			return nil, err
		}
		out = append(out, documents...)
	}
	return out, nil
}

// readValues tries JSON only where the text looks like it, and trusts YAML with
// the rest: a flow mapping looks like JSON too.
func readValues(data []byte) ([]any, error) {
	if start := bytes.TrimLeft(data, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		if raw, ok := splitJSON(start); ok {
			return readJSON(raw)
		}
	}
	return readYAML(data)
}

// unpack turns one value into objects: a List, of any kind, into its items.
func unpack(value any, where string, depth int) ([]document, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New(where + ": not a Kubernetes object")
	}
	items, isList, err := listItems(object)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if !isList {
		if text(object, "apiVersion") == "" || text(object, "kind") == "" {
			return nil, errors.New(where + ": apiVersion and kind are missing")
		}
		return []document{{where: where, object: object}}, nil
	}
	if depth > maxDepth {
		return nil, errors.New(where + ": lists within lists")
	}
	var out []document
	for i, item := range items {
		documents, err := unpack(item, fmt.Sprintf("%s, item %d", where, i+1), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, documents...)
	}
	return out, nil
}

// listItems says whether an object is a list. Of kinds other than List it is one
// only if it has items: a kind may be called SomethingList without being one.
func listItems(object map[string]any) ([]any, bool, error) {
	kind := text(object, "kind")
	value, found := object["items"]
	items, ok := value.([]any)
	switch {
	case !strings.HasSuffix(kind, "List"):
		return nil, false, nil
	case ok:
		return items, true, nil
	case kind != "List":
		return nil, false, nil
	case found && value != nil:
		return nil, false, errors.New("items must be a list")
	default:
		return nil, true, nil
	}
}

// text is a top-level field that is text; empty if it is none.
func text(object map[string]any, name string) string {
	value, _ := object[name].(string)
	return value
}
