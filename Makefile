# Everything here is a short name for a command. CI runs .ci/run, and so does
# make check.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Short names of pinned tools, built into .bin on first use.
tool = "$$(bash .ci/tool $(1))"

# How often each benchmark runs; only ratios within one run mean anything.
COUNT ?= 10
# How long each fuzz target runs.
FUZZTIME ?= 60s
# Arguments of the mutation tests: files, or flags such as -changed=main, -own or -part=1/10.
MUTATE ?=
# How far the explorer goes, and in which worlds (a regular expression).
DEPTH ?= 5
WORLDS ?= Directly|Gracefully|Never
# The tag or commit that the API is compared with.
BASE ?= HEAD

.PHONY: help
help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: check
check: ## Run all that CI runs.
	bash .ci/run

.PHONY: test
test: ## Run the tests.
	go test ./...

.PHONY: race
race: ## Run the tests with the race detector, in random order.
	go test -race -shuffle=on ./...

.PHONY: cover
cover: ## Check the coverage of each package.
	bash .ci/coverage

.PHONY: fmt
fmt: ## Format all Go files.
	$(call tool,golangci-lint) fmt ./...

.PHONY: generate
generate: ## Write what is generated from the wire types.
	bash .ci/generate

.PHONY: fmt-check
fmt-check: ## Fail if a file is not formatted.
	$(call tool,golangci-lint) fmt --diff ./...

.PHONY: vet
vet: ## Run go vet.
	go vet ./...

.PHONY: lint
lint: ## Run the linters.
	$(call tool,golangci-lint) run ./...

.PHONY: tidy-check
tidy-check: ## Fail if go.mod or go.sum is not tidy.
	go mod tidy -diff

.PHONY: bench
bench: ## Measure beside Karmada, client-go and json.Valid, COUNT times.
	bash .ci/bench $(COUNT)

.PHONY: operator
operator: ## Run the example operator's stories on real API servers.
	KUBEBUILDER_ASSETS=$$(bash .ci/assets) go -C examples/operator/e2e test -count=1 -v

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME.
	bash .ci/fuzz $(FUZZTIME)

.PHONY: explore
explore: ## Try all orders of events to DEPTH in WORLDS, and print counts (minutes): docs/explorer.md
	GOGC=400 go test ./failover/failovertest -run 'TestExplore$$/^($(WORLDS))$$' -count=1 -v -parallel 1 -timeout 60m -explore.depth=$(DEPTH)

.PHONY: faults
faults: ## Build the library with each seeded fault; the explorer must find it: docs/explorer.md
	go test ./failover/failovertest -run '^TestFaults$$' -count=1 -timeout 30m -faults

.PHONY: mutate
mutate: ## Run mutation tests over .ci/decision-files (hours); MUTATE="file ..." for some (minutes).
	go -C .ci/mutate run . $(MUTATE)

.PHONY: decisions
decisions: ## Fail if an exported name lacks its rule, its example or its decision file.
	go -C .ci/mutate run . -check

.PHONY: api-list
api-list: ## Write the list of exported names into api/.
	go -C .ci/apilist run .

.PHONY: matrix
matrix: ## Run the tests with the lowest Go and Kubernetes, and with the newest Kubernetes.
	bash .ci/matrix test

.PHONY: footprint
footprint: ## Count what the module adds to an empty one.
	bash .ci/footprint

.PHONY: api
api: ## Show API changes since BASE; fail on incompatible ones.
	bash .ci/api $(BASE)

.PHONY: tools
tools: ## Build the pinned tools.
	for tool in $$(bash .ci/tool --pins | cut -d ' ' -f 1); do bash .ci/tool "$$tool"; done
