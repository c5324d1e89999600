/**
 * The default templates. The names are Alertmanager's, so that files that use or override them work here too; the texts are
 * Daytwo's: summary, cluster, value and threshold, and links.
 */
export const DEFAULT_TEMPLATES = String.raw`
{{ define "__alertmanager" }}Daytwo{{ end }}
{{ define "__alertmanagerURL" }}{{ .ExternalURL }}/alerts{{ end }}
{{ define "__subject" }}[{{ .Status | toUpper }}{{ if eq .Status "firing" }}:{{ .Alerts.Firing | len }}{{ end }}] {{ if .CommonLabels.alertname }}{{ .CommonLabels.alertname }}{{ else }}{{ .GroupLabels.SortedPairs.Values | join " " }}{{ end }}{{ template "__where" . }}{{ with .CommonLabels.severity }} ({{ . }}){{ end }}{{ end }}
{{ define "__where" }}{{ $cluster := "" }}{{ $same := true }}{{ range .Alerts }}{{ if eq $cluster "" }}{{ $cluster = .Cluster }}{{ else if ne $cluster .Cluster }}{{ $same = false }}{{ end }}{{ end }}{{ if and $same (ne $cluster "") }} on {{ $cluster }}{{ else if not $same }} on several clusters{{ end }}{{ end }}
{{ define "__description" }}{{ end }}

{{ define "__what" }}{{ if .Annotations.summary }}{{ .Annotations.summary }}{{ else if .Annotations.description }}{{ .Annotations.description }}{{ else if .Annotations.message }}{{ .Annotations.message }}{{ else }}{{ .Labels.alertname }}{{ end }}{{ end }}
{{ define "__value" }}{{ if ne (print .Value) "" }}{{ printf "%v" .Value }}{{ with .Threshold }} (fires {{ . }}){{ end }}{{ end }}{{ end }}

{{ define "__text_alert_list" }}{{ range . }}{{ .Labels.alertname }}{{ with .Cluster }} on {{ . }}{{ end }}: {{ template "__what" . }}
{{ if ne (print .Value) "" }} - value = {{ template "__value" . }}
{{ end }}{{ range (.Labels.Remove (stringSlice "alertname" "cluster")).SortedPairs }} - {{ .Name }} = {{ .Value }}
{{ end }} - since = {{ .StartsAt }}
{{ if eq .Status "firing" }} - runbook: {{ .RunbookURL }}
 - page: {{ .PageURL }}
 - acknowledge: {{ .AcknowledgeURL }}
 - silence: {{ .SilenceURL }}
{{ end }}{{ end }}{{ end }}

{{ define "slack.default.username" }}{{ template "__alertmanager" . }}{{ end }}
{{ define "slack.default.color" }}{{ if eq .Status "firing" }}{{ if eq .CommonLabels.severity "info" }}#2f6feb{{ else if eq .CommonLabels.severity "warning" }}warning{{ else }}danger{{ end }}{{ else }}good{{ end }}{{ end }}
{{ define "slack.default.title" }}{{ template "__subject" . }}{{ end }}
{{ define "slack.default.titlelink" }}{{ if eq (len .Alerts) 1 }}{{ range .Alerts }}{{ .PageURL }}{{ end }}{{ else }}{{ template "__alertmanagerURL" . }}{{ end }}{{ end }}
{{ define "slack.default.fallback" }}{{ template "slack.default.title" . }} | {{ template "slack.default.titlelink" . }}{{ end }}
{{ define "slack.default.callbackid" }}{{ end }}
{{ define "slack.default.pretext" }}{{ end }}
{{ define "slack.default.iconemoji" }}{{ end }}
{{ define "slack.default.iconurl" }}{{ end }}
{{ define "slack.default.footer" }}{{ end }}
{{ define "slack.default.text" }}{{ range $i, $alert := .Alerts }}{{ if lt $i 10 }}{{ if eq $alert.Status "firing" }}*{{ $alert.Labels.alertname }}*{{ else }}~{{ $alert.Labels.alertname }}~ resolved{{ end }}{{ with $alert.Cluster }} on {{ . }}{{ end }}: {{ template "__what" $alert }}{{ if ne (print $alert.Value) "" }}
value {{ template "__value" $alert }}{{ end }}{{ if eq $alert.Status "firing" }}
<{{ $alert.RunbookURL }}|runbook> · <{{ $alert.AcknowledgeURL }}|acknowledge> · <{{ $alert.SilenceURL }}|silence>{{ end }}
{{ end }}{{ end }}{{ if gt (len .Alerts) 10 }}and {{ len .Alerts }} in all: {{ template "__alertmanagerURL" . }}{{ end }}{{ end }}

{{ define "pagerduty.default.description" }}{{ template "__subject" . }}{{ end }}
{{ define "pagerduty.default.client" }}{{ template "__alertmanager" . }}{{ end }}
{{ define "pagerduty.default.clientURL" }}{{ template "slack.default.titlelink" . }}{{ end }}
{{ define "pagerduty.default.instances" }}{{ template "__text_alert_list" . }}{{ end }}
{{ define "pagerduty.default.severity" }}{{ if match "^(critical|warning|info)$" .CommonLabels.severity }}{{ .CommonLabels.severity }}{{ else }}error{{ end }}{{ end }}
{{ define "pagerduty.default.runbookURL" }}{{ $url := "" }}{{ $same := true }}{{ range .Alerts }}{{ if eq $url "" }}{{ $url = .RunbookURL }}{{ else if ne $url .RunbookURL }}{{ $same = false }}{{ end }}{{ end }}{{ if $same }}{{ $url }}{{ else if .CommonLabels.alertname }}{{ .ExternalURL }}/rb/{{ .CommonLabels.alertname }}{{ end }}{{ end }}

{{ define "msteams.default.title" }}{{ template "__subject" . }}{{ end }}
{{ define "msteams.default.summary" }}{{ template "__subject" . }}{{ end }}
{{ define "msteams.default.text" }}{{ template "__teams_list" . }}{{ end }}
{{ define "msteamsv2.default.title" }}{{ template "__subject" . }}{{ end }}
{{ define "msteamsv2.default.text" }}{{ template "__teams_list" . }}{{ end }}
{{ define "__teams_list" }}{{ range $i, $alert := .Alerts }}{{ if lt $i 10 }}**{{ $alert.Labels.alertname }}**{{ if eq $alert.Status "resolved" }} resolved{{ end }}{{ with $alert.Cluster }} on {{ . }}{{ end }}: {{ template "__what" $alert }}{{ if ne (print $alert.Value) "" }} Value {{ template "__value" $alert }}.{{ end }}{{ if eq $alert.Status "firing" }} [Runbook]({{ $alert.RunbookURL }}) [Acknowledge]({{ $alert.AcknowledgeURL }}) [Silence]({{ $alert.SilenceURL }}){{ end }}

{{ end }}{{ end }}{{ if gt (len .Alerts) 10 }}and {{ len .Alerts }} in all: [all of them]({{ template "__alertmanagerURL" . }}){{ end }}{{ end }}

{{ define "email.default.subject" }}{{ template "__subject" . }}{{ end }}
{{ define "email.default.html" }}<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{ template "__subject" . }}</title></head>
<body style="margin:0;padding:16px;font:15px/1.5 system-ui,sans-serif;color:#1c1e21;background:#ffffff">
<h1 style="font-size:18px;margin:0 0 4px">{{ template "__subject" . }}</h1>
<p style="margin:0 0 16px"><a href="{{ .ExternalURL }}/alerts">All alerts</a></p>
{{ with .Alerts.Firing }}<h2 style="font-size:15px">{{ len . }} firing</h2>
{{ range . }}{{ template "__email_alert" . }}{{ end }}{{ end }}
{{ with .Alerts.Resolved }}<h2 style="font-size:15px">{{ len . }} resolved</h2>
{{ range . }}{{ template "__email_alert" . }}{{ end }}{{ end }}
<p style="color:#65676b;font-size:13px">Sent by {{ template "__alertmanager" . }} to {{ .Receiver }}.</p>
</body>
</html>
{{ end }}
{{ define "__email_alert" }}<div style="border:1px solid #d0d4da;border-radius:6px;padding:12px;margin:0 0 12px">
<strong>{{ .Labels.alertname }}</strong>{{ with .Cluster }} on <strong>{{ . }}</strong>{{ end }}{{ with .Labels.severity }} · {{ . }}{{ end }}
<div>{{ template "__what" . }}</div>
{{ if ne (print .Value) "" }}<div>Value: {{ template "__value" . }}</div>{{ end }}
<div>Since {{ .StartsAt }}</div>
{{ if eq .Status "firing" }}<p><a href="{{ .RunbookURL }}">Runbook</a> · <a href="{{ .PageURL }}">Alert</a> · <a href="{{ .AcknowledgeURL }}">Acknowledge</a> · <a href="{{ .SilenceURL }}">Silence</a></p>{{ end }}
<table style="font-size:13px;border-spacing:0">{{ range .Labels.SortedPairs }}<tr><td style="padding:0 12px 0 0;color:#65676b">{{ .Name }}</td><td>{{ .Value }}</td></tr>{{ end }}</table>
</div>
{{ end }}
`
