import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { Message, MessageAlert } from '../../src/notify/message.ts'
import { webhookText } from '../../src/notify/receivers/webhook.ts'
import { TemplateSet } from '../../src/notify/template-set.ts'
import { TemplateError } from '../../src/template/value.ts'
import { ZERO_TIME_MS } from '../../src/template/go-time.ts'
import { atOnce } from '../support/at-once.ts'
import { findPeer } from '../support/peers.ts'

const START_MS = Date.UTC(2026, 2, 29, 0, 59, 30)

function alert(labels: Record<string, string>, over: Partial<MessageAlert> = {}): MessageAlert {
  return {
    status: 'firing',
    labels: Labels.of(labels),
    annotations: { summary: 'x <b> & "y"', description: 'the same' },
    startsAtMs: START_MS,
    endsAtMs: ZERO_TIME_MS,
    generatorUrl: 'http://g/graph?a=1&b=2',
    fingerprint: '00000000000000aa',
    value: 0.93,
    threshold: '> 0.9',
    ...over,
  }
}

const MESSAGE: Message = {
  receiver: 'r.1',
  groupKey: '{}:{alertname="A"}',
  groupLabels: Labels.of({ alertname: 'A', region: 'eu' }),
  alerts: [
    alert({ alertname: 'A', cluster: 'east', region: 'eu', n: '1' }),
    alert({ alertname: 'A', cluster: 'west', region: 'eu', n: '2' }, { annotations: { description: 'the same' } }),
    alert(
      { alertname: 'A', cluster: 'east', region: 'eu', n: '3' },
      { status: 'resolved', endsAtMs: START_MS + 61_000 },
    ),
  ],
  truncatedAlerts: 0,
  externalUrl: 'http://daytwo.test',
  nowMs: START_MS + 90_000,
  repeatIntervalMs: 60_000,
}

const set = new TemplateSet()

/** Where amtool 0.25 is asked, it says the same. */
const SHARED: readonly (readonly [string, string | undefined])[] = [
  ['{{ .Receiver }} {{ .Status }} {{ .ExternalURL }}', 'r\\.1 firing http://daytwo.test'],
  ['{{ .GroupLabels.SortedPairs.Values | join " " }}', 'A eu'],
  ['{{ .CommonLabels.Names | join "," }} {{ .CommonLabels.Values | join "," }}', 'alertname,region A,eu'],
  ['{{ .CommonAnnotations.description }}{{ .CommonAnnotations.summary }}', 'the same'],
  ['{{ len .Alerts }} {{ .Alerts.Firing | len }} {{ len .Alerts.Resolved }}', '3 2 1'],
  ['{{ range .Alerts.Firing }}{{ .Labels.n }}{{ end }}', '12'],
  ['{{ range .Alerts }}{{ .Status }} {{ .Fingerprint }};{{ end }}', undefined],
  ['{{ (index .Alerts 0).Labels.cluster | title }} {{ toUpper "abc" }} {{ "ABC" | toLower }}', 'East ABC abc'],
  [
    '{{ with (index .Alerts 0).Labels.Remove (stringSlice "alertname" "n") }}{{ .Values | join "+" }}{{ end }}',
    'east+eu',
  ],
  ['{{ range .GroupLabels.SortedPairs }}{{ .Name }}={{ .Value }} {{ end }}', 'alertname=A region=eu '],
  ['{{ .GroupLabels.missing }}|{{ .GroupLabels.alertname }}', '|A'],
  ['{{ match "^a.c$" "abc" }} {{ reReplaceAll "(a)(b)" "$2$1" "abab" }}', 'true baba'],
  ['{{ (index .Alerts 0).StartsAt }}', '2026-03-29 00:59:30 +0000 UTC'],
  [
    '{{ (index .Alerts 0).StartsAt.Format "Mon 2 Jan 15:04:05 2006" }} {{ (index .Alerts 0).StartsAt.Unix }}',
    undefined,
  ],
  [
    '{{ (index .Alerts 0).EndsAt.IsZero }} {{ (index .Alerts 2).EndsAt.IsZero }} {{ (index .Alerts 0).EndsAt }}',
    undefined,
  ],
  ['{{ "a b&c" | urlquery }} {{ "<x>" | html }} {{ "it\'s" | js }}', undefined],
  ['{{ if gt (len .Alerts.Firing) 1 }}many{{ else }}one{{ end }}', 'many'],
  ['{{ range $i, $a := .Alerts }}{{ if $i }}, {{ end }}{{ $a.Labels.n }}{{ end }}', '1, 2, 3'],
  ['{{ define "t" }}[{{ . }}]{{ end }}{{ template "t" .Status }}', '[firing]'],
  ['{{ printf "%s %q %d %05.2f" .Status "q" 7 1.5 }}', 'firing "q" 7 01.50'],
  ['{{ safeHtml "<b>" }} {{ stringSlice "a" "b" | join "-" }}', '<b> a-b'],
  ['{{- /* quiet */ -}} x', 'x'],
]

describe('expansion', () => {
  test.each(SHARED)('%s', (text, want) => {
    const got = set.text(text, MESSAGE)
    if (want !== undefined) expect(got).toBe(want)
  })

  test.each([
    [
      '{{ (index .Alerts 0).Cluster }} {{ (index .Alerts 0).Value }} {{ (index .Alerts 0).Threshold }}',
      'east 0.93 > 0.9',
    ],
    ['{{ (index .Alerts 0).PageURL }}', 'http://daytwo.test/alerts/00000000000000aa'],
    ['{{ (index .Alerts 0).RunbookURL }}', 'http://daytwo.test/rb/A?instance=00000000000000aa'],
    ['{{ .CommonLabels }} {{ .CommonLabels.SortedPairs }}', 'alertname=A, region=eu alertname=A, region=eu'],
    ['{{ (index .Alerts 0).StartsAt | tz "Europe/Prague" | date "15:04:05 -07:00" }}', '01:59:30 +01:00'],
    // Half a minute later the clocks go forward there.
    ['{{ (index .Alerts 2).EndsAt | tz "Europe/Prague" | date "15:04:05 -0700" }}', '03:00:31 +0200'],
    [
      '{{ since (index .Alerts 0).StartsAt }} {{ since (index .Alerts 0).StartsAt | humanizeDuration }}',
      '1m30s 1m 30s',
    ],
    ['{{ trimSpace "  a " }} {{ urlUnescape "a%20b+c" }}', 'a a b c'],
    ['{{ $d := dict "a" 1 "b" (list "x" true) }}{{ toJson $d }}', '{"a":1,"b":["x",true]}'],
    ['{{ range append (list "a") "b" }}{{ . }}{{ end }}', 'ab'],
  ])('%s', (text, want) => {
    expect(set.text(text, MESSAGE)).toBe(want)
  })

  test.each([
    '{{ index .Alerts 9 }}',
    '{{ .Nothing }}',
    '{{ template "nowhere" . }}',
    '{{ join "," "a" }}',
    '{{ tz "Europe/Atlantis" (index .Alerts 0).StartsAt }}',
    '{{ reReplaceAll "(" "" "x" }}',
    '{{ urlUnescape "%zz" }}',
    '{{ dict "a" }}',
    '{{ .GroupLabels.SortedPairs 1 }}',
  ])('%s fails, and is told', (text) => {
    expect(() => set.text(text, MESSAGE)).toThrow(TemplateError)
  })

  test('a template that never ends is stopped', () => {
    const loop = '{{ define "l" }}{{ template "l" . }}{{ end }}{{ template "l" . }}'
    expect(() => set.text(loop, MESSAGE)).toThrow(/depth/)
  })

  test('a thousand alerts fit', () => {
    const alerts = Array.from({ length: 1000 }, (_, i) => alert({ alertname: 'A', n: String(i) }))
    const html = set.html('{{ template "email.default.html" . }}', { ...MESSAGE, alerts })
    expect(html.match(/<strong>A<\/strong>/g)).toHaveLength(1000)
  })
})

describe('HTML', () => {
  test.each([
    ['<p>{{ (index .Alerts 0).Annotations.summary }}</p>', '<p>x &lt;b&gt; &amp; &#34;y&#34;</p>'],
    ['<p>{{ safeHtml "<b>" }}</p>', '<p><b></p>'],
    ['<a href="{{ (index .Alerts 0).GeneratorURL }}">', '<a href="http://g/graph?a=1&amp;b=2">'],
    ['<a href="{{ "javascript:alert(1)" }}">', '<a href="#">'],
    ['<a href=\'{{ " JavaScript:x" }}\'>', "<a href='#'>"],
    ['<a href="{{ "/alerts" }}">', '<a href="/alerts">'],
    ['<p>{{ "javascript: a language" }}</p>', '<p>javascript: a language</p>'],
  ])('%s', (text, want) => {
    expect(set.html(text, MESSAGE)).toBe(want)
  })
})

test('a file replaces a template of ours, and the last file wins', () => {
  const own = new TemplateSet([
    '{{ define "__subject" }}first{{ end }}',
    '{{ define "__subject" }}S {{ .Status }}{{ end }}',
  ])
  expect(own.text('{{ template "slack.default.title" . }}', MESSAGE)).toBe('S firing')
})

const amtool = findPeer('amtool')
describe.skipIf(amtool === undefined)('amtool template render writes the same', () => {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-render-'))
  const data = join(dir, 'data.json')
  const glob = join(dir, 'none.tmpl')
  writeFileSync(data, atOnce(webhookText(MESSAGE, 0)))
  writeFileSync(glob, '{{ define "unused" }}{{ end }}')
  afterAll(() => {
    rmSync(dir, { recursive: true })
  })
  test.each(SHARED)('%s', (text) => {
    const args = ['template', 'render', `--template.glob=${glob}`, `--template.data=${data}`, `--template.text=${text}`]
    const { stdout, stderr } = spawnSync(amtool!, args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(set.text(text, MESSAGE)).toBe(stdout.replace(/\n$/, ''))
  })
})
