// Package preset has ready rules for well-known kinds of applications: data, and
// no code path anywhere depends on them. Each call returns a new value, which the
// caller may change, extend and store as any other policy.
//
//	rules, err := preservation.Compile(preset.FlinkDeployment(), preservation.KarmadaProtection())
//
// The keys that presets write are in the domain carryover.io. A recipe for each,
// with the traps, is in docs/recipes.
//
// # Stability
//
// Keys and field paths of a preset are settled: whoever reads them may rely on
// them. Rules may be added.
package preset
