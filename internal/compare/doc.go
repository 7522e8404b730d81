// Package compare holds this library beside Karmada: the same work through Karmada's
// own exported functions, with a list of the differences, each of which cites its rule,
// and benchmarks of both in one run. It is a module of its own, so that Karmada's
// dependencies do not reach those who use the library.
//
//	go test ./...
//	go test -run '^$' -bench . -count 10 . | tee bench.txt
//
// A difference that no rule explains fails a test, and so does an explanation that
// nothing needs.
package compare
