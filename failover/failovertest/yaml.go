package failovertest

import (
	"io"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// This is the one file that names the YAML library: the rest knows nodes, which have
// lines, as plain decoding does not. The names are deprecated in favour of another
// module; sigs.k8s.io/yaml is a dependency already.

type yamlNode = yaml.Node

const (
	yamlMapping  = yaml.MappingNode
	yamlSequence = yaml.SequenceNode
	yamlScalar   = yaml.ScalarNode
	yamlAlias    = yaml.AliasNode
)

// yamlStream returns a function that reads the next document, io.EOF at the end.
func yamlStream(in io.Reader) func(*yamlNode) error {
	decoder := yaml.NewDecoder(in)
	return func(n *yamlNode) error { return decoder.Decode(n) }
}
