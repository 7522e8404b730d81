package eviction_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzTaskJSON feeds arbitrary JSON to every function: none may panic (L4), and
// the invariants of checkLaws hold for hostile data too.
func FuzzTaskJSON(f *testing.F) {
	for seed := range uint64(20) {
		raw, err := json.Marshal(roll(seed).world())
		require.NoError(f, err)
		f.Add(raw)
	}
	files, err := filepath.Glob("testdata/task-*.json")
	require.NoError(f, err)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add([]byte(`{"Now":"2026-03-01T12:00:00.5+01:00","Targets":[{"name":"east"},{}],"Tasks":[` + string(raw) + `]}`))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var probe world
		if json.Unmarshal(raw, &probe) != nil || probe.Now.IsZero() {
			t.Skip()
		}
		if _, err := json.Marshal(probe); err != nil {
			t.Skip() // times that JSON can read and not write
		}
		checkLaws(t, func() world {
			var w world
			require.NoError(t, json.Unmarshal(raw, &w))
			return w
		})
	})
}
