// Command apilist writes the exported API of every package of the library into
// api/, one line for each name that users can write, so that a change of it shows in
// a review.
//
//	go -C .ci/apilist run .          # write the lists
//	go -C .ci/apilist run . -check   # fail if they are not up to date
//
// A line that is removed or changed breaks users: docs/versioning.md says when that is
// allowed.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libraryDirs hold the packages of the library, and those below them.
var libraryDirs = []string{"purge", "preservation", "eviction", "failover"}

const outDir = "api"

func main() {
	root := flag.String("root", "../..", "root of the repository")
	check := flag.Bool("check", false, "compare, and write nothing")
	flag.Parse()
	lists, err := listAll(*root)
	if err == nil {
		if *check {
			err = compare(*root, lists)
		} else {
			err = write(*root, lists)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// listAll gives the lines of every package, by the name of its file in api/.
func listAll(root string) (map[string][]string, error) {
	lists := map[string][]string{}
	for _, dir := range libraryDirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return err
			case d.Name() == "testdata" || d.Name() == "internal":
				return filepath.SkipDir
			}
			lines, err := listPackage(path)
			if err != nil || lines == nil {
				return err
			}
			rel, err := filepath.Rel(root, path)
			lists[strings.ReplaceAll(filepath.ToSlash(rel), "/", "_")+".txt"] = lines
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return lists, nil
}

func write(root string, lists map[string][]string) error {
	dir := filepath.Join(root, outDir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, lines := range lists {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func compare(root string, lists map[string][]string) error {
	committed, err := read(root)
	if err != nil {
		return err
	}
	added, removed := differ(committed, lists)
	if len(added)+len(removed) == 0 {
		fmt.Printf("the API is as in %s, in %d packages\n", outDir, len(lists))
		return nil
	}
	var b strings.Builder
	for _, line := range removed {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	for _, line := range added {
		fmt.Fprintf(&b, "+ %s\n", line)
	}
	b.WriteString("the exported API is not what api/ says: run make api-list, and commit what it writes")
	if len(removed) > 0 {
		b.WriteString("\na line that is gone breaks users: say in CHANGELOG.md, under Changed or Removed, how to follow (docs/versioning.md)")
	}
	return fmt.Errorf("%s", b.String())
}

func read(root string) (map[string][]string, error) {
	lists := map[string][]string{}
	paths, err := filepath.Glob(filepath.Join(root, outDir, "*.txt"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lists[filepath.Base(path)] = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	return lists, nil
}

// differ gives the lines that only one side has, with the name of their list.
func differ(committed, now map[string][]string) (added, removed []string) {
	only := func(a, b map[string][]string) []string {
		var out []string
		for name, lines := range a {
			for _, line := range lines {
				if !slices.Contains(b[name], line) {
					out = append(out, name+": "+line)
				}
			}
		}
		slices.Sort(out)
		return out
	}
	return only(now, committed), only(committed, now)
}
