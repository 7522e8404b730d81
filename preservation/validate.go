package preservation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// Validate returns everything that is wrong with the rules, nested under path
// (S1, S7, S11, L7):
//
//  1. aliasLabelName must be a legal label key, must not be protected (by
//     protection or by default) and must be the only one of its name.
//  2. jsonPath must parse, within the limits of size and nesting, and must hold a
//     path or a quoted literal in braces: text alone would be written as it
//     stands. A template without any path is evaluated here, and its text must be
//     legal for the target. So must the text around paths, with the shortest
//     possible value in the place of each: what can never succeed is refused on
//     day one. What stands inside a range is not looked at.
//  3. policy must be Required, Optional or empty.
//  4. default must be legal for the target and must not be rejected by the rule.
//  5. reject must not hold empty text, which is missing anyway.
//  6. join must be legal between two characters of a label value.
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
	var errs field.ErrorList
	rules := make([]compiled, 0, len(sp.Rules))
	seen := map[string]bool{}
	for i, rule := range sp.Rules {
		at := path.Child("rules").Index(i)
		errs = append(errs, checkAlias(rule.AliasLabelName, protection, seen, at.Child("aliasLabelName"))...)
		c := compiled{index: i, rule: rule}
		c.rule.Reject = slices.Clone(rule.Reject)
		if rule.Policy == "" {
			c.rule.Policy = Required
		}
		if err := c.parse(at.Child("jsonPath")); err != nil {
			errs = append(errs, err)
		}
		errs = append(errs, c.checkChoices(at)...)
		rules = append(rules, c)
	}
	return rules, errs
}

func checkAlias(alias string, protection Protection, seen map[string]bool, at *field.Path) field.ErrorList {
	if alias == "" {
		return field.ErrorList{field.Required(at, "name the label that receives the value")}
	}
	var errs field.ErrorList
	for _, message := range validation.IsQualifiedName(alias) {
		errs = append(errs, field.Invalid(at, alias, message))
	}
	if protection.Protects(alias) {
		errs = append(errs, field.Forbidden(at, fmt.Sprintf("%q is protected: other software tells objects apart by it", alias)))
	}
	if seen[alias] {
		errs = append(errs, field.Duplicate(at, alias))
	}
	seen[alias] = true
	return errs
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

// checkFrame checks the text around the paths. Without a document no path has a
// hit, and the shortest value that each could have is one character.
func (c *compiled) checkFrame() *fault {
	pieces, err := c.template.Eval(nil)
	if err != nil {
		return faultOf(err)
	}
	var b strings.Builder
	for _, piece := range pieces {
		text, f := c.piece(piece)
		if f != nil {
			text = "0"
		}
		b.WriteString(text)
	}
	return checkLabel(b.String())
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

// checkChoices checks all fields but the alias and the template.
func (c *compiled) checkChoices(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	rule := c.rule
	if rule.Policy != Required && rule.Policy != Optional {
		errs = append(errs, field.NotSupported(at.Child("policy"), rule.Policy, []RulePolicy{Required, Optional}))
	}
	if rule.Default != "" {
		if f := checkLabel(rule.Default); f != nil {
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
	if checkLabel("0"+rule.Join+"0") != nil {
		errs = append(errs, field.Invalid(at.Child("join"), rule.Join, "use few characters that a label value may hold, such as '-', '_' or '.'"))
	}
	return errs
}
