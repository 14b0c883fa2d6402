{{/* The pools of the release as JSON, {"pools": [...]}: those of `pools`, one for each machine of the label, and one for nodes
whose label names no machine: its pods end with a line that names the node. */}}
{{- define "nvmlkit.pools" -}}
{{- $pools := list -}}
{{- range .Values.pools -}}
{{- $pools = append $pools (merge (dict "byLabel" false) .) -}}
{{- end -}}
{{- if .Values.machineLabel.enabled -}}
{{- if not .Values.machineLabel.machines -}}
{{- fail "machineLabel.machines is empty: list the machines that a node may choose by its label" -}}
{{- end -}}
{{- $key := .Values.machineLabel.key -}}
{{- range .Values.machineLabel.machines -}}
{{- $pools = append $pools (dict "name" (printf "machine-%s" .) "machine" . "nodeSelector" (dict $key .) "byLabel" true) -}}
{{- end -}}
{{- $refuse := printf "node $(NODE_NAME): its label %s names none of the machines %s: change the label, or add a machine to machineLabel.machines" $key (join ", " .Values.machineLabel.machines) -}}
{{- $pools = append $pools (dict "name" "no-machine" "refuse" $refuse "byLabel" true) -}}
{{- end -}}
{{- dict "pools" $pools | toJson -}}
{{- end -}}

{{/* Fails if a node can be seen to belong to two pools. A node name and a label cannot be compared here; two such pools on
one node show up in the log of the second: the driver root is busy. */}}
{{- define "nvmlkit.refuseOverlap" -}}
{{- $seen := list -}}
{{- range $pool := (include "nvmlkit.pools" . | fromJson).pools -}}
{{- range $other := $seen -}}
{{- if eq $other.name $pool.name -}}
{{- fail (printf "pools: two pools have the name %q: give each its own" $pool.name) -}}
{{- end -}}
{{- if and (eq $other.byLabel $pool.byLabel) (not $pool.refuse) -}}
{{- include "nvmlkit.refuseCommonNode" (dict "a" $other "b" $pool) -}}
{{- end -}}
{{- end -}}
{{- $seen = append $seen $pool -}}
{{- end -}}
{{- end -}}

{{- define "nvmlkit.refuseCommonNode" -}}
{{- $a := .a -}}
{{- $b := .b -}}
{{- range $node := $a.nodes -}}
{{- if has $node (default list $b.nodes) -}}
{{- fail (printf "pools: node %q belongs to the pools %q and %q: name it in one of them" $node $a.name $b.name) -}}
{{- end -}}
{{- end -}}
{{- $apart := or (and $a.nodes $b.nodes) (and $a.nodes $b.nodeSelector) (and $a.nodeSelector $b.nodes) -}}
{{- range $key, $value := (default dict $a.nodeSelector) -}}
{{- if and (hasKey (default dict $b.nodeSelector) $key) (ne $value (get $b.nodeSelector $key)) -}}
{{- $apart = true -}}
{{- end -}}
{{- end -}}
{{- if not $apart -}}
{{- fail (printf "pools: a node can belong to the pools %q and %q: give one label another value in each, or list the nodes of both" $a.name $b.name) -}}
{{- end -}}
{{- end -}}

{{/* Rules for the nodes of a pool: {"root": ., "pool": pool}. */}}
{{- define "nvmlkit.affinity" -}}
{{- $expressions := list (dict "key" "kubernetes.io/os" "operator" "In" "values" (list "linux")) -}}
{{- if and .root.Values.machineLabel.enabled (not .pool.byLabel) -}}
{{- $expressions = append $expressions (dict "key" .root.Values.machineLabel.key "operator" "DoesNotExist") -}}
{{- end -}}
{{- if .pool.refuse -}}
{{- $key := .root.Values.machineLabel.key -}}
{{- $expressions = concat $expressions (list (dict "key" $key "operator" "Exists") (dict "key" $key "operator" "NotIn" "values" .root.Values.machineLabel.machines)) -}}
{{- end -}}
{{- $term := dict "matchExpressions" $expressions -}}
{{- if .pool.nodes -}}
{{- $names := list -}}
{{- range .pool.nodes -}}
{{- $names = append $names (dict "matchExpressions" $expressions "matchFields" (list (dict "key" "metadata.name" "operator" "In" "values" (list .)))) -}}
{{- end -}}
{{- dict "nodeAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $names)) | toYaml -}}
{{- else -}}
{{- dict "nodeAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" (list $term))) | toYaml -}}
{{- end -}}
{{- end -}}
