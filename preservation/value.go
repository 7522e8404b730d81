package preservation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/carryover-io/carryover/internal/jsonpath"
)

// MaxValueBytes bounds the text that one rule puts together. Without it a short
// template could repeat a long text of the status thousands of times (S12). It is
// what all annotations of an object may hold together; a label holds much less.
const MaxValueBytes = 256 << 10

// fault is an error of one rule before it is known which.
type fault struct {
	class  Class
	detail string
}

// value evaluates one rule: extract, then reject, then default, then the check
// against the target (S4, S8).
func (c *compiled) value(root any) (string, *fault) {
	text, f := c.text(root)
	if f == nil {
		f = c.absent(text)
	}
	if f != nil && f.class == MissingKey && c.rule.Default != "" {
		text, f = c.rule.Default, nil
	}
	if f != nil {
		return "", f
	}
	return text, checkLabel(text)
}

// absent says whether a text counts as missing: empty, or one that the rule
// rejects (S4). It is asked for every hit, so that a placeholder cannot hide in a
// longer text, and for the whole.
func (c *compiled) absent(text string) *fault {
	switch {
	case text == "":
		return &fault{MissingKey, "the text is empty"}
	case slices.Contains(c.rule.Reject, text):
		return &fault{MissingKey, "the value is one that the rule rejects"}
	}
	return nil
}

// text puts the pieces of the template together. One missing piece makes the
// whole missing (S4).
func (c *compiled) text(root any) (string, *fault) {
	pieces, err := c.template.Eval(root)
	if err != nil {
		return "", faultOf(err)
	}
	texts := make([]string, 0, len(pieces))
	for _, piece := range pieces {
		text, f := c.piece(piece)
		if f != nil {
			return "", f
		}
		texts = append(texts, text)
	}
	return concat(texts, "")
}

// piece renders the hits of one action, or literal text.
func (c *compiled) piece(p jsonpath.Piece) (string, *fault) {
	switch {
	case p.Literal:
		return p.Text, nil
	case len(p.Values) == 0:
		return "", missing(p.Miss)
	case len(p.Values) > 1 && c.rule.Join == "":
		return "", &fault{MultipleValues, fmt.Sprintf("the path has %d hits: narrow it, or set join", len(p.Values))}
	}
	texts := make([]string, 0, len(p.Values))
	for _, value := range p.Values {
		text, f := c.hit(value)
		if f != nil {
			return "", f
		}
		texts = append(texts, text)
	}
	return concat(texts, c.rule.Join)
}

// hit renders one value. Null, empty text and an empty list are missing (S4).
func (c *compiled) hit(value any) (string, *fault) {
	text, scalar, err := jsonpath.Text(value)
	switch {
	case err != nil:
		return "", faultOf(err)
	case scalar:
		return text, c.absent(text)
	case value == nil:
		return "", &fault{MissingKey, "the value is null"}
	case isEmptyList(value):
		return "", &fault{MissingKey, "the list is empty"}
	}
	return "", &fault{NotScalar, "a label holds text, a number or a boolean, here is " + kindOf(value)}
}

func isEmptyList(value any) bool {
	switch v := value.(type) {
	case []any:
		return len(v) == 0
	case []string:
		return len(v) == 0
	}
	return false
}

// concat joins texts as long as the result is no longer than MaxValueBytes.
func concat(texts []string, join string) (string, *fault) {
	size := -len(join)
	for _, text := range texts {
		if size += len(join) + len(text); size > MaxValueBytes {
			return "", &fault{TooLarge, fmt.Sprintf("the value is longer than %d bytes", MaxValueBytes)}
		}
	}
	return strings.Join(texts, join), nil
}

func missing(miss *jsonpath.Miss) *fault {
	detail := "nothing at " + miss.Path
	if miss.Hint != "" {
		detail += ": " + miss.Hint
	}
	return &fault{MissingKey, detail}
}

// faultOf gives an evaluation error its class.
func faultOf(err error) *fault {
	f := &fault{BadPath, err.Error()}
	eval := &jsonpath.EvalError{}
	errors.As(err, &eval)
	switch eval.Kind {
	case jsonpath.TypeMismatch:
		f.class = TypeMismatch
	case jsonpath.TooLarge:
		f.class = TooLarge
	case jsonpath.BadPath:
	}
	return f
}

// checkLabel is S8 for the target Label. Empty text is a legal label value and no
// state: whoever reads it would start with nothing (S4). The messages hold lengths
// only.
func checkLabel(text string) *fault {
	switch {
	case text == "":
		return &fault{InvalidValue, "empty, which counts as missing"}
	case len(text) > validation.LabelValueMaxLength:
		return &fault{InvalidValue, fmt.Sprintf("%d bytes long, a label value has at most %d", len(text), validation.LabelValueMaxLength)}
	case len(validation.IsValidLabelValue(text)) > 0:
		return &fault{InvalidValue, "not a legal label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends"}
	}
	return nil
}
