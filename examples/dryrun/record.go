package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/carryover-io/carryover/failover"
)

// readRecord reads the record of the run before. Without a file this is the first
// run; what cannot be read is never taken for that. Errors quote nothing of a record,
// which holds state.
func readRecord(name string) (failover.Record, error) {
	if name == "" {
		return failover.Record{}, nil
	}
	data, _, err := readFile(name, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return failover.Record{}, nil
	}
	if err != nil {
		return failover.Record{}, err
	}
	record, err := decodeRecord(data)
	if err != nil {
		return failover.Record{}, fmt.Errorf("%s: %w", name, err)
	}
	return record, nil
}

// decodeRecord looks at the version first: those of later releases have other fields.
func decodeRecord(data []byte) (failover.Record, error) {
	var record failover.Record
	raw, ok := splitJSON(data)
	if !ok || len(raw) != 1 {
		return record, errors.New("a record is exactly one JSON object")
	}
	values, err := readJSON(raw) // finds what is there twice
	if err != nil {
		return record, err
	}
	object, ok := values[0].(map[string]any)
	if !ok {
		return record, errors.New("a record is exactly one JSON object")
	}
	version, _, err := decode[struct {
		Version int32 `json:"version"`
	}](object)
	if err != nil {
		return record, err
	}
	if version.Version != 0 && version.Version != failover.RecordVersion {
		return record, failover.Record{Version: version.Version}.Check()
	}
	decoder := json.NewDecoder(bytes.NewReader(raw[0]))
	decoder.DisallowUnknownFields() // they would be lost
	if err := decoder.Decode(&record); err != nil {
		return record, errors.New("this is not a record that Plan wrote: a field is not known, or has another type")
	}
	return record, record.Check()
}

// writeRecord replaces the file in one step, so that no reader finds half a record and
// no crash leaves one. It holds state: only the owner may read it.
func writeRecord(name string, record failover.Record) error {
	data, err := indentJSON(record)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return errors.New(name + ": not a regular file")
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*") // with 0600
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
