package preservation

import (
	"slices"
	"strings"
)

// Protection is the set of label keys that no rule may write, because other
// software tells objects apart by them (S11). The domains kubernetes.io and
// k8s.io with their subdomains are always protected; the zero value protects
// nothing else.
type Protection struct {
	// Domains protect every key whose prefix is the domain or one of its
	// subdomains: example.com protects example.com/a and x.example.com/a. Case, a
	// leading dot or *. and a trailing slash make no difference.
	Domains []string
	// Keys protect exactly themselves.
	Keys []string
}

// KarmadaProtection protects the keys by which Karmada tells its own objects and
// the objects that it manages apart, or that change how it treats an object. The
// rest of its domain stays free, since users name state labels there (S11).
//
// Each call returns a new value, which the caller may extend.
func KarmadaProtection() Protection {
	return Protection{Keys: []string{
		"clusterpropagationpolicy.karmada.io/name",
		"clusterpropagationpolicy.karmada.io/permanent-id",
		"clusterpropagationpolicy.karmada.io/uid",
		"clusterresourcebinding.karmada.io/key",
		"clusterresourcebinding.karmada.io/name",
		"clusterresourcebinding.karmada.io/permanent-id",
		"clusterresourcebinding.karmada.io/uid",
		"karmada.io/managed",
		"multiclusterservice.karmada.io/name",
		"multiclusterservice.karmada.io/namespace",
		"multiclusterservice.karmada.io/permanent-id",
		"propagation.karmada.io/instruction",
		"propagationpolicy.karmada.io/name",
		"propagationpolicy.karmada.io/namespace",
		"propagationpolicy.karmada.io/permanent-id",
		"propagationpolicy.karmada.io/uid",
		"resourcebinding.karmada.io/key",
		"resourcebinding.karmada.io/name",
		"resourcebinding.karmada.io/namespace",
		"resourcebinding.karmada.io/permanent-id",
		"resourcebinding.karmada.io/uid",
		"resourcetemplate.karmada.io/claimed-by",
		"resourcetemplate.karmada.io/deletion-protected",
		"resourcetemplate.karmada.io/managed-annotations",
		"resourcetemplate.karmada.io/managed-labels",
		"resourcetemplate.karmada.io/retain-replicas",
		"resourcetemplate.karmada.io/uid",
		"work.karmada.io/conflict-resolution",
		"work.karmada.io/name",
		"work.karmada.io/namespace",
		"work.karmada.io/permanent-id",
		"work.karmada.io/uid",
	}}
}

// Protects reports whether no rule may write key (S11): it is one of Keys, or has
// a prefix within kubernetes.io, k8s.io or one of Domains. Keys are compared byte
// by byte, as Kubernetes does.
func (p Protection) Protects(key string) bool {
	if slices.Contains(p.Keys, key) {
		return true
	}
	prefix, _, found := strings.Cut(key, "/")
	if !found {
		return false
	}
	within := func(domain string) bool {
		// A spelling that matches nothing would protect nothing (L6).
		domain = strings.ToLower(strings.Trim(domain, "*./"))
		return prefix == domain || strings.HasSuffix(prefix, "."+domain)
	}
	return within("kubernetes.io") || within("k8s.io") || slices.ContainsFunc(p.Domains, within)
}
