/**
 * Templates with what they expand to, about the sample `subject{instance="kv-1.example:8443", name="vm \"a\"", path="a/b",
 * port="8443"} 1234.5` at 2026-08-20T10:00:00Z. The series `up{job="a"} 1`, `up{job="b"} 0` and `ver{__value__="v1"} 3`
 * can be queried. The same rows are asked of promtool.
 */
export interface TemplateCase {
  readonly text: string
  /** The expansion; `undefined` for a template that fails while it runs. */
  readonly want: string | undefined
  /** Why Prometheus 2.42's promtool is not asked. */
  readonly notIn242?: string
}

export const CASE_NOW_MS = 1_787_220_000_000
export const CASE_VALUE = 1234.5
export const CASE_LABELS = {
  __name__: 'subject',
  instance: 'kv-1.example:8443',
  name: 'vm "a"',
  path: 'a/b',
  port: '8443',
}
export const CASE_EXTERNAL_URL = 'http://daytwo.example:4318/base'
export const CASE_EXTERNAL_LABELS = { region: 'eu' }

const c = (text: string, want: string | undefined, notIn242?: string): TemplateCase => {
  return { text, want, ...(notIn242 === undefined ? {} : { notIn242 }) }
}

export const TEMPLATE_CASES: readonly TemplateCase[] = [
  // Texts, variables, fields
  c('plain', 'plain'),
  c('{{ $value }}', '1234.5'),
  c('{{$value}}{{ .Value }}', '1234.51234.5'),
  c('{{ $labels.port }} {{ .Labels.port }}', '8443 8443'),
  c('[{{ $labels.absent }}]', '[]'),
  c('{{ $labels }}', 'map[__name__:subject instance:kv-1.example:8443 name:vm "a" path:a/b port:8443]'),
  c('{{ $externalLabels.region }} {{ .ExternalLabels.region }}', 'eu eu'),
  c('{{ $externalURL }} {{ .ExternalURL }}', `${CASE_EXTERNAL_URL} ${CASE_EXTERNAL_URL}`),
  c(
    '{{ externalURL }} {{ pathPrefix }}',
    `${CASE_EXTERNAL_URL} /base`,
    'its promtool gives these functions no address',
  ),
  c('{{ $.Labels.port }}', '8443'),
  c('{{ .Nope }}', undefined),
  c('{{ $value.Nope }}', undefined),
  c('{{ $labels.port.x }}', undefined),
  c('a {{- " b " -}} c', 'a b c'),
  c('a {{/* note */}} b {{- /* note */ -}} c', 'a  bc'),
  c('{{ "a\\tb\\u00e9\\x41\\101" }}{{ `raw\\n` }}', 'a\tbéAAraw\\n'),
  c("{{ 'x' }}", '120'),
  c('}} { {', '}} { {'),
  c('Jürgen 日本 {{ "日本" }} {{ len "日本" }}', 'Jürgen 日本 日本 6'),

  // Numbers
  c(
    '{{ 1 }} {{ 1.0 }} {{ -3 }} {{ 1e3 }} {{ 0x1F }} {{ 1_000 }} {{ .5 }} {{ 0b11 }} {{ 0o17 }} {{ 017 }}',
    '1 1 -3 1000 31 1000 0.5 3 15 15',
  ),
  c(
    '{{ 1000000.0 }} {{ 123456789.0 }} {{ 0.0001 }} {{ 0.00001 }} {{ 1e20 }} {{ 1e21 }}',
    '1e+06 1.23456789e+08 0.0001 1e-05 1e+20 1e+21',
  ),
  c('{{ true }} {{ false }}', 'true false'),

  // Pipelines and functions
  c('{{ $value | humanize }}', '1.234k'),
  c('{{ $value | printf "%.1f" }}', '1234.5'),
  c(
    '{{ printf "%s is %d or %v, %5.1f|%-6s|%06.2f|%+d|%x|%q|%t|%%" "a" 3 4.5 $value "ab" 3.14159 7 255 "q\\"" true }}',
    'a is 3 or 4.5, 1234.5|ab    |003.14|+7|ff|"q\\""|true|%',
  ),
  c(
    '{{ printf "%d" 1.5 }} {{ printf "%s" 1.5 }} {{ printf "%s" }} {{ printf "%d %d" 1 }} {{ printf "x" 1 }} {{ printf "%!" }}',
    '%!d(float64=1.5) %!s(float64=1.5) %!s(MISSING) 1 %!d(MISSING) x%!(EXTRA int=1) %!!(MISSING)',
  ),
  c(
    '{{ printf "%e %E %g %G %8.3e" 1234.5 1234.5 1e-7 1e100 5.0 }}',
    '1.234500e+03 1.234500E+03 1e-07 1E+100 5.000e+00',
  ),
  c('{{ printf "%T %T %T %T" 1 1.0 "a" true }}', 'int float64 string bool'),
  c('{{ printf "%[2]d %[1]d" 1 2 }}', '2 1'),
  c('{{ printf "%.2f %.2f %.0f %.0f %.0f %.1f" 0.125 0.375 0.5 1.5 2.5 0.25 }}', '0.12 0.38 0 2 2 0.2'),
  c('{{ printf "%.3g %.10g %.1g" 1234.5678 0.1 950.0 }}', '1.23e+03 0.1 1e+03'),
  c(
    '{{ printf "%5d|%-5d|%05d|% d|%c|%U|%o|%b|%X" 42 42 -42 42 65 8364 8 5 255 }}',
    '   42|42   |-0042| 42|A|U+20AC|10|101|FF',
  ),
  c('{{ printf "%10.3s|%x|%t" "abcdef" "hi" "no" }}', '       abc|6869|%!t(string=no)'),
  c('{{ printf "%f %f" 1e22 -0.5 }}', '10000000000000000000000.000000 -0.500000'),
  c('{{ print 1 2 "a" "b" 3.5 true }}|{{ println "a" 1 }}', '1 2ab3.5 true|a 1\n'),
  c('{{ len $labels }} {{ len "abc" }}', '5 3'),
  c('{{ index $labels "port" }} [{{ index $labels "no-such" }}] {{ index "abc" 1 }}', '8443 [] 98'),
  c('{{ index "abc" 9 }}', undefined),
  c('{{ slice "abcdef" 1 3 }} {{ slice "abc" 1 }}', 'bc bc'),
  c('{{ slice "abc" 2 9 }}', undefined),
  c(
    '{{ html "<a href=\'x\'>&\\"" }} {{ urlquery "a b&c/é" }} {{ js "a\'b<c>" }}',
    "&lt;a href=&#39;x&#39;&gt;&amp;&#34; a+b%26c%2F%C3%A9 a\\'b\\u003Cc\\u003E",
  ),
  c(
    '{{ eq 1 1 }} {{ eq "a" "b" "a" }} {{ ne 1.5 2.5 }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt "b" "a" }} {{ ge 1.0 2.0 }}',
    'true true true true true true false',
  ),
  c('{{ gt $value 1000 }}', undefined),
  c('{{ gt $value 1000.0 }}', 'true'),
  c('{{ eq $labels $labels }}', undefined),
  c('{{ and 1 0 2 }} {{ or 0 "" "x" }} {{ not 0 }} {{ and true (gt 2 1) }}', '0 x true true'),
  c('{{ and false (index "abc" 9) }} {{ or true (index "abc" 9) }}', 'false true'),
  c('{{ "a" | printf "%s%s" "b" | toUpper }}', 'BA'),
  c('{{ (printf "%s" "x") }} {{ (index $labels "port") | len }}', 'x 4'),
  c('{{ toUpper 1 }}', undefined),
  c('{{ toUpper }}', undefined),
  c('{{ $labels.port "x" }}', undefined),

  // Control
  c('{{ if gt $value 1.0 }}yes{{ else }}no{{ end }}', 'yes'),
  c('{{ if not true }}a{{ else if eq 1 1 }}b{{ else }}c{{ end }}', 'b'),
  c(
    '{{ if $labels.absent }}a{{ end }}{{ if 0 }}b{{ end }}{{ if 0.0 }}c{{ end }}{{ if "" }}d{{ end }}{{ if $labels }}e{{ end }}',
    'e',
  ),
  c(
    '{{ with $labels.port }}port {{ . }}{{ else }}none{{ end }} {{ with $labels.absent }}x{{ else }}none{{ end }}',
    'port 8443 none',
  ),
  c('{{ with $x := 5 }}{{ $x }}{{ . }}{{ end }}', '55'),
  c(
    '{{ range $k, $v := $labels }}{{ $k }}={{ $v }};{{ end }}',
    '__name__=subject;instance=kv-1.example:8443;name=vm "a";path=a/b;port=8443;',
  ),
  c('{{ range $labels }}{{ . }} {{ end }}', 'subject kv-1.example:8443 vm "a" a/b 8443 '),
  c('{{ range query "nothing_here" }}x{{ else }}empty{{ end }}', 'empty'),
  c(
    '{{ range $i, $s := query "up" | sortByLabel "job" }}{{ if $i }}, {{ end }}{{ $s.Labels.job }}={{ $s.Value }}{{ end }}',
    'a=1, b=0',
  ),
  c(
    '{{ range query "up" | sortByLabel "job" }}{{ if eq .Labels.job "b" }}{{ break }}{{ end }}{{ .Labels.job }}{{ end }}',
    'a',
  ),
  c(
    '{{ range query "up" | sortByLabel "job" }}{{ if eq .Labels.job "a" }}{{ continue }}{{ end }}{{ .Labels.job }}{{ end }}',
    'b',
  ),
  c('{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}', '2'),
  c('{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}', '21'),
  c('{{ range $value }}x{{ end }}', undefined),
  c('{{ define "t" }}[{{ . }}]{{ end }}{{ template "t" $value }}{{ template "t" "a" }}', '[1234.5][a]'),
  c('{{ block "b" $value }}<{{ . }}>{{ end }}', '<1234.5>'),
  c('{{ template "none" }}', undefined),
  c('{{ define "l" }}{{ template "l" }}{{ end }}{{ template "l" }}', undefined, 'it nests 100,000 deep first'),

  // Queries
  c('{{ query "up" | first | value }}', undefined, 'the order of a vector is not defined'),
  c('{{ query "up{job=\\"a\\"}" | first | value }} {{ query "up{job=\\"b\\"}" | first | label "job" }}', '1 b'),
  c('{{ query "nothing_here" | first | value }}', undefined),
  c('{{ query "sum(up)" | first | value | humanizePercentage }}', '100%'),
  c('{{ with printf "up{job=\'%s\'}" "a" | query }}{{ . | first | value }}{{ end }}', '1'),
  c('{{ query "1 +" }}', undefined),
  c('{{ query "ver" | first | strvalue }} {{ query "up{job=\'a\'}" | first | strvalue }}', 'v1 '),
  c('{{ len (query "up") }}', '2'),
  c('{{ first 1 }}', undefined),
  c('{{ (query "up{job=\'a\'}" | first).Value }} {{ (query "up{job=\'a\'}" | first).Labels.job }}', '1 a'),

  // Numbers for people
  c(
    '{{ humanize 0.0 }} {{ humanize 1.0 }} {{ humanize 999.99 }} {{ humanize 1234567.0 }} {{ humanize 0.0012 }} {{ humanize -1500 }} {{ humanize "1e9" }} {{ humanize 1e30 }}',
    '0 1 1000 1.235M 1.2m -1.5k 1G 1e+06Y',
  ),
  c(
    '{{ humanize1024 0.0 }} {{ humanize1024 1.0 }} {{ humanize1024 1048576.0 }} {{ humanize1024 1500.0 }} {{ humanize1024 -2048 }}',
    '0 1 1Mi 1.465ki -2ki',
  ),
  c(
    '{{ humanizeDuration 0.0 }} {{ humanizeDuration 1.0 }} {{ humanizeDuration 60.0 }} {{ humanizeDuration 3600.0 }} {{ humanizeDuration 86400.0 }} {{ humanizeDuration 90061.0 }} {{ humanizeDuration -62 }} {{ humanizeDuration 0.5 }} {{ humanizeDuration 0.0001 }} {{ humanizeDuration 59.999 }}',
    '0s 1s 1m 0s 1h 0m 0s 1d 0h 0m 0s 1d 1h 1m 1s -1m 2s 500ms 100us 60s',
  ),
  c(
    '{{ humanizePercentage 0.1234567 }} {{ humanizePercentage 1.0 }} {{ humanizePercentage 0.0000001 }}',
    '12.35% 100% 1e-05%',
  ),
  c(
    '{{ humanizeTimestamp 1435065584.128 }} {{ humanizeTimestamp 0.0 }}',
    '2015-06-23 13:19:44.128 +0000 UTC 1970-01-01 00:00:00 +0000 UTC',
  ),
  c('{{ humanize "abc" }}', undefined),
  c('{{ humanize true }}', undefined),
  c(
    '{{ 1435065584.128 | toTime }} {{ (1435065584.0 | toTime).Format "Mon, 02 Jan 2006 15:04:05 MST" }}',
    '2015-06-23 13:19:44.128 +0000 UTC Tue, 23 Jun 2015 13:19:44 UTC',
  ),
  c(
    '{{ (1435065584.0 | toTime).Unix }} {{ (1435065584.0 | toTime).Year }} {{ (1435065584.5 | toTime).Format "2006-01-02T15:04:05.000Z07:00 3:4PM Jan _2 06 .999" }}',
    '1435065584 2015 2015-06-23T13:19:44.500Z 1:19PM Jun 23 15 .5',
  ),
  c('{{ (1435065584.0 | toTime).Nope }}', undefined),
  c('{{ toTime 1e20 }}', undefined),
  c('{{ parseDuration "1h30m" }} {{ parseDuration "250ms" }}', '5400 0.25'),
  c('{{ parseDuration "1x" }}', undefined),
  c(
    '{{ toDuration 90.5 }} {{ toDuration 0.25 }} {{ toDuration 3661.0 }} {{ (toDuration 90.0).Minutes }}',
    '1m30.5s 250ms 1h1m1s 1.5',
    'new in 3',
  ),
  c('{{ now }} {{ now | toTime }}', '1.78722e+09 2026-08-20 10:00:00 +0000 UTC', 'new in 3'),

  // Texts
  c('{{ title "aa bb-cc dd_ee Éé 1st" }}', 'Aa Bb-Cc Dd_ee Éé 1st'),
  c('{{ title "o\'neil a.b" }}', "O'neil A.b", 'words end elsewhere since 2.43'),
  c('{{ toUpper "aé" }} {{ toLower "AÉ" }}', 'AÉ aé'),
  c(
    '{{ match "^kv-[0-9]+" $labels.instance }} {{ match "nope" "x" }} {{ match "(?i)KV" "kv" }} {{ match "a.b" "a\\nb" }}',
    'true false true false',
  ),
  c('{{ match "(" "x" }}', undefined),
  c(
    '{{ reReplaceAll "(.*):\\\\d+" "$1" $labels.instance }} {{ reReplaceAll "a" "<$0>${0}x$$" "banana" }} {{ reReplaceAll "(?P<n>b)" "${n}$n-$nx" "abc" }} {{ reReplaceAll "x*" "-" "ab" }}',
    'kv-1.example b<a>ax$n<a>ax$n<a>ax$ abb-c -a-b-',
  ),
  c(
    '{{ reReplaceAll "x*" "-" "xab" }} {{ reReplaceAll "^a" "-" "aab" }} {{ reReplaceAll "\\\\bb" "-" "bb ab b" }}',
    '-a-b- -ab -b ab -',
  ),
  c(
    '{{ reReplaceAll "" "-" "日本" }} {{ reReplaceAll "([^.]+)[.]([^.]+)[.](.+)" "$3/${2}_$1" "a.b.c" }} {{ reReplaceAll "a$" "" "aa" }}',
    '-日-本- c/b_a a',
  ),
  c(
    '{{ reReplaceAll "(?i)(a|b)+" "<$1>" "xABay" }} {{ reReplaceAll "(?s)a.b" "-" "a\\nb" }} {{ reReplaceAll "z?" "$" "😀z" }}',
    'x<a>y - $😀$',
  ),
  c('{{ reReplaceAll "(" "" "x" }}', undefined),
  c('{{ stripPort "h:80" }} {{ stripPort "[::1]:80" }} {{ stripPort "h" }} {{ stripPort "a:b:c" }}', 'h ::1 h a:b:c'),
  c(
    '{{ stripDomain "h.example.com:80" }} {{ stripDomain "h.example.com" }} {{ stripDomain "1.2.3.4:80" }} {{ stripDomain "[::1]:80" }} {{ stripDomain "h" }}',
    'h:80 h 1.2.3.4:80 [::1]:80 h',
  ),
  c('{{ safeHtml "<b>" }}', '<b>'),
  c('{{ urlQueryEscape "a b" }}', 'a+b', 'new in 3'),
  c(
    '{{ graphLink "up == 1" }} {{ tableLink "up{a=\\"b\\"}" }}',
    '/graph?g0.expr=up+%3D%3D+1&g0.tab=0 /graph?g0.expr=up%7Ba%3D%22b%22%7D&g0.tab=1',
  ),
  c('{{ define "two" }}{{ .arg0 }}-{{ .arg1 }}{{ end }}{{ template "two" (args 1 "b") }}', '1-b'),
  c('{{ call "x" }}', undefined),
]
