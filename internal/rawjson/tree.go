package rawjson

import "slices"

// Tree is a set of wanted paths (S12). It never changes and is safe for concurrent use.
type Tree struct {
	root  node
	slots int
}

// node is a key of wanted paths, and all that is below it.
type node struct {
	key  string
	slot int // -1 = no path ends here
	// below are the slots of the node and of all below it: from this one to the
	// next, without the last.
	below, next int
	nodes       []*node
}

// NewTree makes a tree of paths (S12), and gives the slot of each: the index of its value.
// The same path twice has one slot. A path without keys is the root itself.
func NewTree(paths [][]string) (*Tree, []int) {
	t := &Tree{root: node{slot: -1}}
	ends := make([]*node, len(paths))
	for i, path := range paths {
		ends[i] = t.root.add(path)
		ends[i].slot = 0
	}
	t.slots = t.root.number(0)
	slots := make([]int, len(paths))
	for i, end := range ends {
		slots[i] = end.slot
	}
	return t, slots
}

// Slots is the number of values that a scan looks for (S12).
func (t *Tree) Slots() int { return t.slots }

// add gives the node at the end of a path.
func (n *node) add(path []string) *node {
	for _, key := range path {
		at := slices.IndexFunc(n.nodes, func(c *node) bool { return c.key == key })
		if at < 0 {
			at = len(n.nodes)
			n.nodes = append(n.nodes, &node{key: key, slot: -1})
		}
		n = n.nodes[at]
	}
	return n
}

// number gives out slots so that those of one node stand together, and gives the
// next one that is free.
func (n *node) number(next int) int {
	n.below = next
	if n.slot >= 0 {
		n.slot = next
		next++
	}
	for _, c := range n.nodes {
		next = c.number(next)
	}
	n.next = next
	return next
}

// child finds the node of a key, which is given as a JSON text; nil if nobody wants it.
func (n *node) child(key []byte) *node {
	if n == nil || len(n.nodes) == 0 {
		return nil
	}
	inner := key[1 : len(key)-1]
	if !isPlain(inner) {
		// Of a copy: what json.Unmarshal sees escapes, and would take with it all that
		// a scan refers to.
		inner = []byte(Text(slices.Clone(key)))
	}
	for _, c := range n.nodes {
		if c.key == string(inner) {
			return c
		}
	}
	return nil
}
