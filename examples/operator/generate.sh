#!/usr/bin/env bash
# Writes what is generated from the Go types: deep copies, CRDs, RBAC rules and webhook
# configurations. With --check it fails if what is committed is not that.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

generator=$(bash ../../.ci/tool controller-gen)
out=.
if [[ ${1:-} == --check ]]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
# The CRDs have no descriptions: documentation changes more often than schemas do.
"$generator" object paths=./api/v1alpha1 output:object:dir="$out/api/v1alpha1"
"$generator" crd:maxDescLen=0 paths=./api/v1alpha1 output:crd:dir="$out/config/crd"
"$generator" rbac:roleName=carryover-operator webhook paths=./controller paths=./webhook \
    output:rbac:dir="$out/config/rbac" output:webhook:dir="$out/config/webhook"
[[ $out != . ]] || exit 0

for file in $(cd "$out" && find . -type f); do
    if ! diff -u "$file" "$out/$file"; then
        echo "$file is not up to date: run bash examples/operator/generate.sh" >&2
        stale=1
    fi
done
[[ -z ${stale:-} ]]
