package swimlane_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/carryover-io/carryover/failover/swimlane"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		picture swimlane.Picture
		reason  string
	}{
		"moved":   {moved(), "all that a lane can hold, and an arrow each way"},
		"crowd":   {crowd(), "seven lanes are two panels of text, and one drawing"},
		"strange": {strange(), "nothing that a name holds reaches the terminal or the page"},
		"empty":   {swimlane.Picture{}, "the zero value is a picture of nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for extension, got := range map[string]string{".txt": c.picture.Text(), ".svg": c.picture.SVG()} {
				golden := filepath.Join("testdata", name+extension)
				if *update {
					require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s\n(-want +got)\n%s", c.reason, diff)
				}
			}
		})
	}
}
