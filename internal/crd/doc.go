// Package crd is a custom resource that embeds the types of the library, and tests
// what an API server makes of it: that it takes the schema, which costs no more than
// it allows, refuses what Validate refuses and nothing else, and loses nothing.
// docs/crd.md says which rule is a marker, which is CEL, and which is left to a
// webhook.
//
// It is a module of its own, since it needs the code of an API server, which the
// library must not.
//
// +groupName=carryover.example
// +versionName=v1
package crd
