// Package rawjson finds values in JSON text without decoding the rest (S12).
//
// A [Tree] holds the wanted paths, each a chain of keys from the root. One strict
// pass over the text, [Tree.Scan], gives the text of each value:
//
//	tree, slots := rawjson.NewTree([][]string{{"jobStatus", "jobId"}, {"savepoints"}})
//	values := make([][]byte, tree.Slots())
//	if tree.Scan(status, values) && values[slots[0]] != nil {
//		id := values[slots[0]] // a part of status, quotes included
//	}
//
// It accepts what encoding/json accepts and is one object, and nothing else: white
// space around it is fine, anything else behind it is not. It finds what decoding
// with encoding/json would find: of duplicate keys the last counts, with all that is
// below it; a key is compared after its escapes were read and what is no UTF-8 was
// replaced by U+FFFD. It stops at the same depth.
//
// It does not say what is wrong with a text that it refuses: whoever wants to know
// decodes it.
package rawjson
