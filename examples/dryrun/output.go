package main

import (
	"github.com/carryover-io/carryover/eviction"
	"github.com/carryover-io/carryover/failover"
	"github.com/carryover-io/carryover/failover/swimlane"
	"github.com/carryover-io/carryover/purge"
)

// plan is the output; its JSON is the contract. Lists are never null and sorted
// by cluster.
type plan struct {
	Decisions           []decision      `json:"decisions"`
	Binding             map[string]any  `json:"binding"`
	Purges              []purgeOf       `json:"purges"`
	Injections          []injection     `json:"injections"`
	Excluded            []string        `json:"excluded"`
	Record              failover.Record `json:"record"`
	Events              []event         `json:"events"`
	RecheckAfterSeconds *int64          `json:"recheckAfterSeconds,omitempty"`
	Errors              []problem       `json:"errors"`
	Warnings            []notice        `json:"warnings"`

	title   string           // for the text output
	picture swimlane.Picture // for those that draw
}

// decision is about leaving one cluster.
type decision struct {
	Cluster             string `json:"cluster"`
	Outcome             string `json:"outcome"`
	Reason              string `json:"reason"`
	Message             string `json:"message"`
	RecheckAfterSeconds *int64 `json:"recheckAfterSeconds,omitempty"`
}

// purgeOf is what becomes of one old copy.
type purgeOf struct {
	Cluster     string          `json:"cluster"`
	Legacy      purge.OldCopy   `json:"legacy"`
	Replacement purge.NewCopy   `json:"replacement"`
	Done        bool            `json:"done"`
	Reason      eviction.Reason `json:"reason"`
	Message     string          `json:"message"`
}

// injection is what one target gets.
type injection struct {
	Cluster  string         `json:"cluster"`
	Action   string         `json:"action"`
	Injected bool           `json:"injected"`
	Reason   string         `json:"reason"`
	Written  []written      `json:"written"`
	Manifest map[string]any `json:"manifest,omitempty"`

	message string // for the text output
}

// written is one key of the manifest, without its value.
type written struct {
	Target   string `json:"target"`
	Key      string `json:"key"`
	Replaced bool   `json:"replaced"`
}

// event is a transition that this run makes.
type event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`

	cluster string // sorts
}

// problem blocks something; messages never hold collected values.
type problem struct {
	Cluster string `json:"cluster"`
	Rule    *int   `json:"rule,omitempty"`
	Alias   string `json:"alias"`
	Field   string `json:"field"`
	Class   string `json:"class"`
	Message string `json:"message"`
}

// notice blocks nothing, and a person may want to know it.
type notice struct {
	Field   string `json:"field,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// seconds is a next check as the output has it; nil = none.
func seconds(check purge.NextCheck) *int64 {
	if !check.OK {
		return nil
	}
	n := int64(check.After.Seconds())
	return &n
}
