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

// Validate returns everything that is wrong with the rules, nested under path
// (S1, S7, S11, L7):
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
// More than MaxRules rules are one error, and none of them is looked at (S12).
//
// Nil rules are valid, and a nil path is the root. The errors are in the order of
// the rules, then of this list. They quote the rules, which are policy and not
// collected state.
func Validate(sp StatePreservation, protection Protection, path *field.Path) field.ErrorList {
	_, errs := check(sp, protection, path)
	return errs
}

// check is Validate, and gives the compiled rules, which are of use if there is
// no error.
func check(sp StatePreservation, protection Protection, path *field.Path) ([]compiled, field.ErrorList) {
	if len(sp.Rules) > MaxRules {
		return nil, field.ErrorList{field.TooMany(path.Child("rules"), len(sp.Rules), MaxRules)}
	}
	var errs field.ErrorList
	rules := make([]compiled, 0, len(sp.Rules))
	for i, rule := range sp.Rules {
		at := path.Child("rules").Index(i)
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
	if targets := []Target{Label, Annotation, Field}; !slices.Contains(targets, c.rule.Target) {
		errs = append(errs, field.NotSupported(at.Child("target"), c.rule.Target, targets))
	}
	if policies := []RulePolicy{Required, Optional}; !slices.Contains(policies, c.rule.Policy) {
		errs = append(errs, field.NotSupported(at.Child("policy"), c.rule.Policy, policies))
	}
	if conflicts := []Conflict{Replace, KeepExisting, Fail}; !slices.Contains(conflicts, c.rule.Conflict) {
		errs = append(errs, field.NotSupported(at.Child("conflict"), c.rule.Conflict, conflicts))
	}
	return errs
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
	constant := strings.NewReplacer("{", "", "}", "", `"`, "", "'", "").Replace(text)
	path := strings.TrimLeft(constant, "$.")
	if strings.HasPrefix(text, "{") || strings.ContainsAny(path, " /:") {
		return fmt.Sprintf(`nothing in it reads the status: write a path as {.path.to.value}, a constant as {"%s"}`, constant)
	}
	return fmt.Sprintf(`nothing in it reads the status: did you mean {.%s}? A constant is written {"%s"}`, path, constant)
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
