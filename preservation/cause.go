package preservation

// Cause says why an application leaves a cluster. When several are due at once,
// Cluster wins (F10).
type Cause string

const (
	// Application means that the application fails on its cluster.
	Application Cause = "Application"
	// Cluster means that the cluster itself fails.
	Cluster Cause = "Cluster"
	// Planned means that somebody asked for the move.
	Planned Cause = "Planned"
)
