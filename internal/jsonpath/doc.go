// Package jsonpath evaluates kubectl JSONPath templates on decoded JSON.
//
// The grammar is client-go's: its parser builds the tree (rule S2). The
// evaluation is this package's own, because client-go's cannot be shared,
// rounds numbers, prints null as text and shows map order. A [Template] is
// compiled once, never changes, and may be used by any number of goroutines.
//
//	t, err := jsonpath.Parse(`s3p://ckpt/{.jobStatus.jobId}/chk-{.n}`)
//	if err != nil {
//		return err // *SyntaxError: position, detail, hint
//	}
//	pieces, err := t.Eval(status)
//	if err != nil {
//		return err // *EvalError: kind, path, detail
//	}
//	for _, p := range pieces {
//		// p.Literal: p.Text; else p.Values, or p.Miss when there is none
//	}
//
// # Agreement with client-go
//
// Wherever client-go's strict mode gives one deterministic text, [Template.Eval]
// gives the same hits. What differs, each with its rule:
//
//   - S2: map values are visited in the order of their sorted keys.
//   - S2: a string has no children; client-go's wildcard yields its bytes.
//   - S3: numbers keep their digits and never print in scientific notation;
//     filters compare numbers by value whatever their Go types are.
//   - S4: a missing key, an index out of range, a slice past the end and a
//     filter on null are a [Miss], not an error; so is a range without items.
//     A range whose only item is null, empty text or an empty list gives that
//     item and never runs its body.
//   - S4: a missing or null operand of a filter matches nothing.
//   - S5: an empty list does not hide the hits in the lists after it.
//   - S1: text that client-go accepts but reads in another way than written is
//     a [SyntaxError]; [Parse] lists the cases.
//
// Kept on purpose, though surprising: a bracket key is read like a field, so
// ['a.b'] is two keys and ['a\.b'] is one; ['*'] is a wildcard; [] is [0]; "@"
// and "$" both are the current value, so inside a range and a filter "$" is
// the item.
//
// # Valid and invalid templates
//
//	{.a.b}   {.a\.b/c}   {['a\.b/c']}   {.a[-1]}   {.a[0:4:2]}   {.a['x','y']}
//	{..name}   {.c[?(@.type=="Ready")].status}   {range .c[*]}{.v},{end}   {"true"}
//
//	{jobId}          an unknown word: paths start with a dot
//	{.a["b"]}        keys take single quotes
//	{.c[?(@.a=="x" && @.b)]}   no && and no ||
//	{.c[?(@.a=~"x")]}          no regular expressions
//
// # Bounds
//
// The work and the memory of one evaluation are bounded by the constants of
// this package, whatever the template and the document are; past a bound the
// answer is an [EvalError] of kind [TooLarge]. Errors and hints name keys,
// paths, types and lengths, never values of the document.
package jsonpath
