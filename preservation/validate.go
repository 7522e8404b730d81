package preservation

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// MaxRules is the largest number of rules of one policy (S12).
const MaxRules = 128

// Validate returns everything that is wrong with the rules, and with what holds for
// all of them, nested under path (S1, S7, S11, L7). Of each rule:
//
//  1. aliasLabelName must be a legal label key, must not be protected (by
//     protection or by default) and must be the only one of its name for its
//     target. A Field rule may leave it empty.
//  2. jsonPath must parse, within the limits of size and nesting, and must hold a
//     path or a quoted literal in braces: text alone would be written as it
//     stands. A template without any path is evaluated here, and its text must be
//     legal for the target. So must the text around paths, with the shortest
//     possible value in the place of each: what can never succeed is refused on
//     day one. What stands inside a range is not looked at.
//  3. from, target, policy and conflict must be one of their texts, or empty; from
//     may also name a document of the caller.
//  4. fieldPath must be there for a Field and for nothing else, must parse, must
//     not lead to what is not for state (I5), and must not lead into, or around,
//     the path of another rule.
//  5. default must be legal for the target and must not be rejected by the rule.
//  6. reject must not hold empty text, which is missing anyway.
//  7. join must be legal between two characters of a value.
//
// Of the whole, whether or not there are rules:
//
//  8. onMissingState must be one of its texts, or empty, and
//     missingStateDeadlineSeconds must not be negative; nil and 0 are valid (F6).
//  9. retention must be one of its texts, or empty (F7).
//  10. maxStateAgeSeconds must not be negative; nil and 0 are valid (R2). It may
//     stand without takenAt: the caller may know the time.
//  11. takenAt must parse as jsonPath does, and must be one path with nothing around
//     it: a time that is put together could not be told from one that was found
//     (R4). Empty is valid, with and without maxStateAgeSeconds.
//
// More than MaxRules rules are one error, and none of them is looked at (S12).
//
// Nil rules are valid, and a nil path is the root. The errors are in the order of
// the rules, then of these lists. A text of a closed set that differs from a known
// one in case, or in white space around it, comes with a hint. The errors quote the
// policy, and no collected state.
func Validate(sp StatePreservation, protection Protection, path *field.Path) field.ErrorList {
	_, errs := check(sp, protection, path)
	return errs
}

// check is Validate, and gives the extractor, which is of use if there is no error.
func check(sp StatePreservation, protection Protection, path *field.Path) (*Extractor, field.ErrorList) {
	rules, errs := checkRules(sp.Rules, protection, path.Child("rules"))
	errs = append(errs, checkMissing(sp, path)...)
	if seconds := sp.MaxStateAgeSeconds; seconds != nil && *seconds < 0 {
		errs = append(errs, field.Invalid(path.Child("maxStateAgeSeconds"), *seconds, "must not be negative: without it any age is right"))
	}
	takenAt, wrong := compileTakenAt(sp.TakenAt, path.Child("takenAt"))
	return &Extractor{rules: rules, takenAt: takenAt}, append(errs, wrong...)
}

func checkRules(given []Rule, protection Protection, path *field.Path) ([]compiled, field.ErrorList) {
	if len(given) > MaxRules {
		return nil, field.ErrorList{field.TooMany(path, len(given), MaxRules)}
	}
	var errs field.ErrorList
	rules := make([]compiled, 0, len(given))
	for i, rule := range given {
		at := path.Index(i)
		c := compiled{index: i, rule: rule.withDefaults()}
		c.key = Ref{c.rule.Target, c.rule.AliasLabelName}
		errs = append(errs, c.checkAlias(protection, rules, at.Child("aliasLabelName"))...)
		if err := c.parse(at.Child("jsonPath")); err != nil {
			errs = append(errs, err)
		}
		errs = append(errs, c.checkTexts(at)...)
		errs = append(errs, c.checkField(rules, at.Child("fieldPath"))...)
		errs = append(errs, c.checkChoices(at)...)
		rules = append(rules, c)
	}
	return rules, errs
}

func (c *compiled) checkAlias(protection Protection, earlier []compiled, at *field.Path) field.ErrorList {
	alias := c.rule.AliasLabelName
	if alias == "" {
		if c.rule.Target == Field {
			return nil
		}
		return field.ErrorList{field.Required(at, "name the key that receives the value")}
	}
	var errs field.ErrorList
	for _, message := range validation.IsQualifiedName(alias) {
		errs = append(errs, field.Invalid(at, alias, message))
	}
	if c.rule.Target != Field && protection.Protects(alias) {
		errs = append(errs, field.Forbidden(at, fmt.Sprintf("%q is protected: other software tells objects apart by it", alias)))
	}
	same := func(other compiled) bool {
		return other.rule.Target == c.rule.Target && other.rule.AliasLabelName == alias
	}
	if slices.ContainsFunc(earlier, same) {
		errs = append(errs, field.Duplicate(at, alias))
	}
	return errs
}

// checkTexts checks the closed sets, and the one that callers extend.
func (c *compiled) checkTexts(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if problem := c.rule.From.problem(); problem != "" {
		errs = append(errs, field.Invalid(at.Child("from"), c.rule.From, problem))
	}
	errs = append(errs, checkKnown(c.rule.Target, []Target{Label, Annotation, Field}, at.Child("target"))...)
	errs = append(errs, checkKnown(c.rule.Policy, []RulePolicy{Required, Optional}, at.Child("policy"))...)
	return append(errs, checkKnown(c.rule.Conflict, []Conflict{Replace, KeepExisting, Fail}, at.Child("conflict"))...)
}

// checkKnown refuses what is not in a closed set (L6), and names what was meant
// where only the case or white space around it is wrong.
func checkKnown[T ~string](value T, known []T, at *field.Path) field.ErrorList {
	if slices.Contains(known, value) {
		return nil
	}
	err := field.NotSupported(at, value, known)
	for _, one := range known {
		if strings.EqualFold(strings.TrimSpace(string(value)), string(one)) {
			err.Detail += fmt.Sprintf(": did you mean %s?", one)
		}
	}
	return field.ErrorList{err}
}

// checkField sets the field path of a Field rule.
func (c *compiled) checkField(earlier []compiled, at *field.Path) field.ErrorList {
	text := c.rule.FieldPath
	switch {
	case c.rule.Target != Field && text == "":
		return nil
	case c.rule.Target != Field:
		return field.ErrorList{field.Forbidden(at, "only a rule with target Field has a path to write to")}
	case text == "":
		return field.ErrorList{field.Required(at, "name the field that receives the value, such as .spec.job.initialSavepointPath")}
	}
	path, err := parseFieldPath(text)
	if err != nil {
		return field.ErrorList{field.Invalid(at, abridge(text), err.Error())}
	}
	c.path, c.key.Key = path, path.String()
	if refusal := path.refusal(); refusal != "" {
		return field.ErrorList{field.Forbidden(at, refusal)}
	}
	for _, other := range earlier {
		switch {
		case len(other.path) == 0:
		case slices.Equal(other.path, path):
			return field.ErrorList{field.Duplicate(at, text)}
		case path.within(other.path) || other.path.within(path):
			return field.ErrorList{field.Invalid(at, text, fmt.Sprintf("it overlaps with the path of rule %d", other.index))}
		}
	}
	return nil
}

// parse sets the template, or says why there is none that can ever succeed.
func (c *compiled) parse(at *field.Path) *field.Error {
	if strings.TrimSpace(c.rule.JSONPath) == "" {
		return field.Required(at, "name the value to carry, such as {.jobStatus.jobId}")
	}
	template, err := jsonpath.Parse(c.rule.JSONPath)
	if err != nil {
		return field.Invalid(at, abridge(c.rule.JSONPath), err.Error())
	}
	c.template = template
	text := template.String()
	switch {
	case template.ReadsDocument():
		if f := c.checkFrame(); f != nil {
			return field.Invalid(at, text, "no value can be legal with the text around it: "+f.detail)
		}
	case template.Quotes():
		if _, f := c.value(nil); f != nil {
			return field.Invalid(at, text, "the constant cannot be written: "+f.detail)
		}
	default:
		return field.Invalid(at, text, bareTextHint(text))
	}
	return nil
}

// checkFrame checks the text around the paths of a label. Without a document no
// path has a hit, and the shortest value that each could have is one character.
func (c *compiled) checkFrame() *fault {
	if c.rule.Target != Label {
		return nil
	}
	pieces, err := c.template.Eval(nil)
	if err != nil {
		return faultOf(err)
	}
	var all strings.Builder
	for _, piece := range pieces {
		var one valueBuilder
		if f := c.piece(&one, piece); f != nil {
			all.WriteString("0")
			continue
		}
		all.WriteString(one.text.String())
	}
	return checkLabel(all.String())
}

// abridge keeps a template that is over the limit out of error lists.
func abridge(template string) string {
	if len(template) > jsonpath.MaxTemplateBytes {
		return fmt.Sprintf("(%d bytes)", len(template))
	}
	return template
}

// bareTextHint explains S7 for a template that would be copied as it stands.
func bareTextHint(text string) string {
	constant := withoutMarks(text)
	if path := barePath(text); path != "" {
		return fmt.Sprintf(`nothing in it reads the status: did you mean {.%s}? A constant is written {"%s"}`, path, constant)
	}
	return fmt.Sprintf(`nothing in it reads the status: write a path as {.path.to.value}, a constant as {"%s"}`, constant)
}

// barePath is the path that a text without braces means; empty if it does not look
// like one.
func barePath(text string) string {
	if strings.HasPrefix(text, "{") || strings.ContainsAny(text, " /:") {
		return ""
	}
	return strings.TrimLeft(withoutMarks(text), "$.")
}

// withoutMarks is a text without braces and quotes.
func withoutMarks(text string) string {
	return strings.NewReplacer("{", "", "}", "", `"`, "", "'", "").Replace(text)
}

// checkChoices checks what a rule does with the text that it finds.
func (c *compiled) checkChoices(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	rule := c.rule
	if rule.Default != "" {
		if f := checkValue(rule.Target, c.encode(rule.Default)); f != nil {
			errs = append(errs, field.Invalid(at.Child("default"), rule.Default, f.detail))
		}
		if slices.Contains(rule.Reject, rule.Default) {
			errs = append(errs, field.Invalid(at.Child("default"), rule.Default, "the rule rejects its own default"))
		}
	}
	for i, rejected := range rule.Reject {
		if rejected == "" {
			errs = append(errs, field.Invalid(at.Child("reject").Index(i), rejected, "empty text is missing anyway"))
		}
	}
	if problem := c.joinProblem(); problem != "" {
		errs = append(errs, field.Invalid(at.Child("join"), rule.Join, problem))
	}
	return errs
}

// maxJoinBytes bounds what stands between two hits.
const maxJoinBytes = 63

func (c *compiled) joinProblem() string {
	switch {
	case c.rule.Target == Label && checkLabel("0"+c.rule.Join+"0") != nil:
		return "use few characters that a label value may hold, such as '-', '_' or '.'"
	case len(c.rule.Join) > maxJoinBytes || !utf8.ValidString(c.rule.Join):
		return fmt.Sprintf("use at most %d bytes of UTF-8", maxJoinBytes)
	}
	return ""
}

// checkMissing checks what happens without state, and how long what was found is
// kept (F6, F7).
func checkMissing(sp StatePreservation, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if sp.OnMissingState != "" {
		choices := []OnMissingState{Block, EvictWithout, UsePrevious}
		errs = append(errs, checkKnown(sp.OnMissingState, choices, path.Child("onMissingState"))...)
	}
	if seconds := sp.MissingStateDeadlineSeconds; seconds != nil && *seconds < 0 {
		errs = append(errs, field.Invalid(path.Child("missingStateDeadlineSeconds"), *seconds, "must not be negative: 0 does not block at all"))
	}
	if sp.Retention != "" {
		errs = append(errs, checkKnown(sp.Retention, []Retention{UntilHealthy, UntilNextFailover}, path.Child("retention"))...)
	}
	return errs
}
