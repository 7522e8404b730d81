// Package wiretest checks that a type can be a part of a custom resource: that its
// deep copy shares nothing, and that the JSON of the Go library, and the conversion
// to and from unstructured objects by which dynamic clients work, say the same.
//
// It is for the tests of this module.
package wiretest
