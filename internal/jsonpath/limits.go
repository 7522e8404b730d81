package jsonpath

import "strconv"

// Bounds on templates, documents and results (S12).
const (
	// MaxTemplateBytes bounds the text of a template after trimming. It is
	// checked before the parser runs, because the parser calls itself once per
	// token and a megabyte of blanks would overflow the stack (S12).
	MaxTemplateBytes = 4096
	// MaxNesting bounds ranges inside ranges and brackets inside brackets (S12).
	MaxNesting = 32
	// MaxHits bounds the pieces and the values that one evaluation returns,
	// counted together (S12).
	MaxHits = 10_000
	// MaxSteps bounds the work of one evaluation: about one unit for each value
	// looked at (S12).
	MaxSteps = 1_000_000
	// MaxDepth bounds the nesting that recursive descent follows, as in
	// encoding/json; it also ends a map that contains itself (S12).
	MaxDepth = 10_000
	// MaxNumberDigits bounds the digits of a number written out in full (S3).
	MaxNumberDigits = 400
)

const (
	// keyCost is what visiting one key of a map costs in steps: keys are sorted.
	keyCost = 8
	// digitsPerStep is bytesPerStep for numbers, which are compared by digit.
	digitsPerStep = 4
	// bytesPerStep turns bytes that are compared or hashed into steps, so that
	// long texts cannot hide work from the budget.
	bytesPerStep = 32
	// maxHintKeys bounds the keys that one evaluation looks at to find hints.
	maxHintKeys = 20_000
)

// budget is what an evaluation may still spend.
type budget struct {
	steps    int
	hits     int
	hintKeys int
}

func newBudget() budget {
	return budget{steps: MaxSteps, hits: MaxHits, hintKeys: maxHintKeys}
}

func (b *budget) spend(steps int) *EvalError {
	if b.steps -= steps; b.steps >= 0 {
		return nil
	}
	b.steps = 0
	return tooLarge("the evaluation takes more than " + strconv.Itoa(MaxSteps) + " steps")
}

func (b *budget) spendHits(hits int) *EvalError {
	if b.hits -= hits; b.hits >= 0 {
		return nil
	}
	b.hits = 0
	return tooLarge("the template gives more than " + strconv.Itoa(MaxHits) + " values")
}

func tooLarge(detail string) *EvalError {
	return &EvalError{Kind: TooLarge, Detail: detail}
}
