package failovertest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// checkWords is L7: what is for people holds no state, and errors hold none.
func (s *state) checkWords(r round) error {
	said := words(r)
	for _, value := range s.secrets() {
		if strings.Contains(said, value) {
			return broken("L7", "a message tells the state %s", value)
		}
	}
	return nil
}

// words are all that an answer says to people.
func words(r round) string {
	var about []string
	for _, p := range r.out.Placements {
		about = append(about, p.Message)
	}
	for _, t := range r.out.Tasks {
		if !contains(r.in.Tasks, t) { // what others wrote is theirs
			about = append(about, t.Message)
		}
	}
	if r.err != nil {
		about = append(about, r.err.Error())
	}
	text, _ := json.Marshal([]any{r.out.Decisions, r.out.Purges, about, r.out.Excluded, r.out.Events, r.out.Warnings})
	return string(text)
}

// secrets are the values that copies report, as far as they cannot be words of a message by
// themselves, and are none of the world.
func (s *state) secrets() []string {
	var all, told []string
	if len(s.world.Status) == 0 {
		for id := 1; id <= s.copies; id++ {
			all = append(all, job(id))
		}
	}
	for i := range s.clusters {
		var status any
		if json.Unmarshal(s.collected(&s.clusters[i]), &status) == nil {
			told = append(told, leaves(status)...)
		}
	}
	if len(told) == 0 {
		return all
	}
	w := *s.world
	w.Status = nil
	known, _ := json.Marshal(w)
	told = slices.DeleteFunc(told, func(value string) bool { return strings.Contains(string(known), value) })
	slices.Sort(told)
	return append(all, told...)
}

// leaves are the texts in a status that nothing but a status has: with a digit, and neither
// numbers nor times.
func leaves(of any) []string {
	var all []string
	switch of := of.(type) {
	case map[string]any:
		for _, one := range of {
			all = append(all, leaves(one)...)
		}
	case []any:
		for _, one := range of {
			all = append(all, leaves(one)...)
		}
	case string:
		_, number := strconv.ParseFloat(of, 64)
		_, date := time.Parse(time.RFC3339, of)
		if len(of) > 3 && strings.ContainsAny(of, "0123456789") && number != nil && date != nil {
			return []string{of}
		}
	}
	return all
}
