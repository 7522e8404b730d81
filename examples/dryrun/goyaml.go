package main

import (
	"io"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// This is the one file that names the YAML library: the rest of the program knows
// nodes. Plain decoding would do, were it not for numbers, which it turns into
// floats. The names are deprecated in favour of another module; sigs.k8s.io/yaml
// is a dependency already.

type yamlNode = yaml.Node

const (
	yamlDocument = yaml.DocumentNode
	yamlMapping  = yaml.MappingNode
	yamlSequence = yaml.SequenceNode
	yamlScalar   = yaml.ScalarNode
	yamlAlias    = yaml.AliasNode

	yamlTagged   = yaml.TaggedStyle
	yamlNotPlain = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	yamlQuoted   = yaml.DoubleQuotedStyle
)

// yamlStream returns a function that reads the next document, io.EOF at the end.
func yamlStream(in io.Reader) func(*yamlNode) error {
	decoder := yaml.NewDecoder(in)
	return func(n *yamlNode) error { return decoder.Decode(n) }
}

func yamlWrite(out io.Writer, n *yamlNode) error {
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(2)
	if err := encoder.Encode(n); err != nil {
		return err
	}
	return encoder.Close()
}
