{{/* Ports of the programs, and which programs call which. */}}
{{- define "patio.programs" -}}
auth-svc: {port: 50051, callers: [gateway, campaign-svc, vehicle-svc, import-svc]}
campaign-svc: {port: 50052, callers: [gateway, vehicle-svc, import-svc]}
vehicle-svc: {port: 50053, callers: [gateway, campaign-svc, import-svc]}
import-svc: {port: 50054, callers: [gateway]}
gateway: {port: 8080, callers: []}
{{- end }}

{{/* Metadata of an object: name, namespace and labels. Takes a dict with `root`, `name` and, if needed, `labels`. */}}
{{- define "patio.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  app.kubernetes.io/part-of: patio
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* Image of a program: by digest if there is one, otherwise by tag. Takes a dict with `root` and `name`. */}}
{{- define "patio.image" -}}
{{- $image := .root.Values.image -}}
{{- $digest := get $image.digests .name -}}
{{- if $digest -}}
{{ $image.registry }}/{{ .name }}@{{ $digest }}
{{- else -}}
{{ $image.registry }}/{{ .name }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Selector of pods by the names of their workloads. */}}
{{- define "patio.selector" -}}
matchExpressions:
  - key: app.kubernetes.io/name
    operator: In
    values:
      {{- toYaml . | nindent 6 }}
{{- end }}

{{/* Fields of every pod of Patio. */}}
{{- define "patio.pod" -}}
serviceAccountName: patio
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Security context of every container. */}}
{{- define "patio.container" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{/* Scale of a program as YAML: minReplicas and maxReplicas. Takes a dict with `root` and `name`. */}}
{{- define "patio.scale" -}}
{{- $own := get .root.Values.programs .name -}}
minReplicas: {{ $own.minReplicas | default .root.Values.autoscaling.minReplicas }}
maxReplicas: {{ $own.maxReplicas | default .root.Values.autoscaling.maxReplicas }}
{{- end }}

{{/* Number of connections that all replicas together open, with two more of each service during a rollout. Takes a dict with `root`
and `saving`, the PATIO_DATABASE_MAX_CONNECTIONS of each. */}}
{{- define "patio.connections" -}}
{{- $replicas := 0 -}}
{{- range $name, $program := include "patio.programs" .root | fromYaml -}}
{{- if ne $name "gateway" -}}
{{- $scale := include "patio.scale" (dict "root" $.root "name" $name) | fromYaml -}}
{{- $replicas = add $replicas 2 (ternary $scale.maxReplicas $scale.minReplicas $.root.Values.autoscaling.enabled | int) -}}
{{- end -}}
{{- end -}}
{{- /* Four for migrations, ten for the operator, standbys and psql. */ -}}
{{- add (mul $replicas (add .saving (max (div (mul .saving 3) 8) 2) 2)) 14 -}}
{{- end }}

{{/* PATIO_DATABASE_MAX_CONNECTIONS: that of the settings, or the largest number from 8 to 4 with which all replicas stay below
postgres.maxConnections. */}}
{{- define "patio.maxConnections" -}}
{{- $given := get .Values.settings "PATIO_DATABASE_MAX_CONNECTIONS" -}}
{{- $most := 4 -}}
{{- range $saving := list 5 6 7 8 -}}
{{- if le (include "patio.connections" (dict "root" $ "saving" $saving) | int) (int $.Values.postgres.maxConnections) -}}
{{- $most = $saving -}}
{{- end -}}
{{- end -}}
{{- $given | default $most -}}
{{- end }}

{{/* Refuses values that contradict each other, which a schema cannot state. */}}
{{- define "patio.checks" -}}
{{- if eq .Values.image.tag "latest" -}}
{{- fail "image.tag is latest, which pods of one Deployment may resolve to different images: name a version" -}}
{{- end -}}
{{- range $name, $value := .Values.settings -}}
{{- if regexMatch "PASSWORD|SECRET|DATABASE_URL|DATABASE_READ_URL|REDIS_URL" $name -}}
{{- fail (printf "settings.%s: a ConfigMap is no place for a secret; deploy/k8s/secrets writes the Secrets" $name) -}}
{{- else if regexMatch "LISTEN$|SERVICE_TLS|KEY_FILE|DATA_DIR" $name -}}
{{- fail (printf "settings.%s: the chart sets it, to agree with ports, probes and volumes" $name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.postgres.restoreFrom.name -}}
{{- if eq . $.Values.postgres.name -}}
{{- fail (printf "postgres.restoreFrom.name is postgres.name, %s: a restored cluster needs another name, and the old one stays" .) -}}
{{- end -}}
{{- if not $.Values.backup.enabled -}}
{{- fail "postgres.restoreFrom needs backup.enabled, with the object store of the backups" -}}
{{- end -}}
{{- end -}}
{{- range $name, $program := include "patio.programs" . | fromYaml -}}
{{- $scale := include "patio.scale" (dict "root" $ "name" $name) | fromYaml -}}
{{- if gt (int $scale.minReplicas) (int $scale.maxReplicas) -}}
{{- fail (printf "programs.%s: minReplicas is %v and maxReplicas %v; the first must not be larger" $name $scale.minReplicas $scale.maxReplicas) -}}
{{- end -}}
{{- end -}}
{{- $need := include "patio.connections" (dict "root" . "saving" (include "patio.maxConnections" . | int)) | int -}}
{{- if lt (int .Values.postgres.maxConnections) (int $need) -}}
{{- fail (printf "postgres.maxConnections is %v, and Patio may open %v connections: raise it, or lower maxReplicas or PATIO_DATABASE_MAX_CONNECTIONS" .Values.postgres.maxConnections $need) -}}
{{- end -}}
{{- end }}
