package controller

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/carryover-io/carryover/eviction"
)

// healthOf reads the health of a copy from its status. A kind with a language of its
// own gets a line here; all others are asked for a condition. What cannot be told is
// Unknown, which neither starts nor ends a failover (F2).
func healthOf(object *unstructured.Unstructured) eviction.Health {
	kind := object.GroupVersionKind().GroupKind().String()
	switch kind {
	case "FlinkDeployment.flink.apache.org":
		return flinkHealth(object)
	case "ConfigMap", "Secret", "Service", "ServiceAccount":
		return eviction.NotApplicable
	}
	return conditionHealth(object)
}

// flinkHealth is what the Flink operator says of the job.
func flinkHealth(object *unstructured.Unstructured) eviction.Health {
	state, _, err := unstructured.NestedString(object.Object, "status", "jobStatus", "state")
	if err != nil {
		return eviction.HealthUnknown
	}
	switch state {
	case "RUNNING":
		return eviction.Healthy
	case "FAILED", "FAILING":
		return eviction.Unhealthy
	}
	return eviction.HealthUnknown
}

// conditionHealth reads the condition Available or Ready.
func conditionHealth(object *unstructured.Unstructured) eviction.Health {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return eviction.HealthUnknown
	}
	for _, one := range conditions {
		condition, ok := one.(map[string]any)
		if !ok || condition["type"] != "Available" && condition["type"] != "Ready" {
			continue
		}
		switch condition["status"] {
		case "True":
			return eviction.Healthy
		case "False":
			return eviction.Unhealthy
		}
	}
	return eviction.HealthUnknown
}
