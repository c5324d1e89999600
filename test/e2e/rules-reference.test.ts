import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startExporter, type Exporter } from '../support/exporter.ts'
import { startFakeAlertmanager, type FakeAlertmanager, type ReceivedAlert } from '../support/fake-alertmanager.ts'
import { skipInScaleOut } from '../support/mode.ts'
import { findPeer, requirePeer } from '../support/peers.ts'
import { startPrometheus, type RunningPrometheus } from '../support/prometheus.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The same rules on the same live series, each second, in Debian's Prometheus and in Daytwo, which gets the samples from
// it by remote write. Values change every eight seconds; one second before, both are asked what they make of it. Their
// beats are not at the same moment of a second and samples need a moment to cross, so times may be three seconds apart.

/** One round of the script takes 40 s; `DAYTWO_REFERENCE_ROUNDS=3` is two minutes. */
const ROUNDS = Number(process.env['DAYTWO_REFERENCE_ROUNDS'] ?? 1)
const PHASE_SECONDS = 8
const CHECK_AT_SECONDS = 7
const APART_SECONDS_MAX = 3

const EXTERNAL_URL = 'http://rules.example:9090'

const RULES = `
groups:
  - name: all
    interval: 1s
    rules:
      - { record: 'ref:sum', expr: sum by (cluster) (ref_value), labels: { kind: total } }
      - { record: 'ref:high', expr: 'max_over_time(ref_value[3s]) > 5' }
      - { alert: Immediate, expr: ref_value > 5 }
      - { alert: Waits, expr: ref_value > 5, for: 3s, labels: { severity: warning } }
      - { alert: Kept, expr: ref_value > 5, keep_firing_for: 3s }
      - { alert: WaitsAndKept, expr: ref_value > 5, for: 2s, keep_firing_for: 2s }
      - { alert: WaitsLong, expr: ref_value > 5, for: 10m }
      - { alert: Missing, expr: 'absent(ref_gone{of="x"})' }
      - { alert: MissingAlways, expr: 'absent(up{job="nothing"})', labels: { severity: info } }
      - { alert: Many, expr: 'count by (alertname) (ALERTS{alertname="Immediate", alertstate="firing"}) >= 2' }
      - { alert: OnRecorded, expr: '{__name__="ref:sum"} > 15' }
      - { alert: OnHigh, expr: 'count({__name__="ref:high"}) > 0' }
      - { alert: Rises, expr: 'resets(ref_value[4s]) == 0 and ref_value == 10' }
      - { alert: Broken, expr: ref_value + on (cluster) ref_value }
      - { alert: SameLabels, expr: ref_value > 5, labels: { n: same } }
      - { alert: WithoutLabel, expr: 'ref_value > 5', labels: { instance: '', n: '{{ $labels.n }}{{ $labels.n }}' } }
      - { alert: Always, expr: vector(42) }
      - alert: Templated
        expr: ref_value > 5
        labels: { level: '{{ if gt $value 5.0 }}high{{ else }}low{{ end }}', severity: '{{ .Labels.n }}' }
        annotations:
          summary: '{{ $labels.n | toUpper | title }} is {{ printf "%.1f" $value }}, {{ humanize 1234567.0 }}, {{ humanizeDuration 3725.0 }}'
          asked: '{{ with query "ref:sum" }}{{ . | first | value | humanize1024 }} of {{ . | first | label "kind" }}{{ end }}'
          all: '{{ range query "ref_value" | sortByLabel "n" }}{{ .Labels.n }}={{ .Value }} {{ end }}'
          link: '{{ $externalURL }}{{ pathPrefix }}{{ tableLink "up == 0" }} {{ graphLink "ref_value" }}'
          text: '{{ reReplaceAll "(.)a" "$1-" "banana" }} {{ match "^a" "abc" }} {{ stripPort "host:80" }} {{ toTime 0.0 }}'
          broken: '{{ index (query "nothing") 5 }}'
  - name: limited
    interval: 1s
    limit: 1
    rules:
      - { alert: Limited, expr: ref_value > 5 }
      - { record: 'ref:limited', expr: ref_value }
`

let exporter: Exporter
let [theirs, ours]: FakeAlertmanager[] = []
let prometheus: RunningPrometheus
let daytwo: RunningServer
const folder = tempDir('rules-reference')
const closers: (() => unknown)[] = []
const checks: { readonly second: number; readonly theirs: Answers; readonly ours: Answers }[] = []
let startMs = 0
let endMs = 0

interface Answers {
  readonly rules: readonly PromRule[]
  readonly alerts: readonly PromAlert[]
}
interface PromRule {
  readonly group: string
  readonly name: string
  readonly health: string
  readonly lastError?: string
  readonly alerts?: readonly PromAlert[]
  readonly [key: string]: unknown
}
interface PromAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: string
  readonly activeAt: string
  readonly value: string
}

function play(second: number): void {
  const set = (n: string, value: number): void => {
    exporter.set('ref_value', { n }, value)
  }
  switch ((second / PHASE_SECONDS) % 5) {
    case 0:
      set('one', 0)
      set('two', 0)
      exporter.remove('ref_gone', { of: 'x' })
      break
    case 1:
      set('one', 10)
      break
    case 2:
      set('two', 7.5)
      exporter.set('ref_gone', { of: 'x' }, 1)
      break
    case 3:
      set('one', 0)
      break
    case 4:
      set('two', 1)
      exporter.remove('ref_value', { n: 'one' })
  }
}

async function get<T>(url: string, path: string): Promise<T> {
  return ((await (await fetch(`${url}${path}`)).json()) as { data: T }).data
}

async function answersOf(url: string): Promise<Answers> {
  type Group = { name: string; file: string; interval: number; limit: number; rules: Omit<PromRule, 'group'>[] }
  const { groups } = await get<{ groups: Group[] }>(url, '/api/v1/rules')
  const { alerts } = await get<{ alerts: PromAlert[] }>(url, '/api/v1/alerts')
  const rules = groups.flatMap(({ name, file, interval, limit, rules: own }) =>
    own.map((rule) => ({ ...rule, group: `${basename(file)} ${name} ${interval} ${limit}` })),
  )
  return { rules: rules as PromRule[], alerts }
}

beforeAll(async () => {
  const path = findPeer('prometheus')
  if (path === undefined) return
  exporter = await startExporter([])
  closers.push(() => exporter.close())
  play(0)
  theirs = await startFakeAlertmanager()
  ours = await startFakeAlertmanager()
  closers.push(() => Promise.all([ours?.close(), theirs?.close()]))
  mkdirSync(join(folder.path, 'rules'))
  writeFileSync(join(folder.path, 'rules', 'rules.yaml'), RULES)
  daytwo = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data')],
    ...withoutContent(join(folder.path, 'rules')),
    ...['--external.url', EXTERNAL_URL],
    // Soon repeated: what Prometheus sends before it has found its Alertmanager is lost.
    ...['--alertmanager', `http://${ours.address}`, '--alertmanager.resend-delay', '2s'],
  ])
  closers.push(() => daytwo.stop())
  prometheus = await startPrometheus({
    path,
    targets: [exporter.address],
    targetLabels: { cluster: 'reference' },
    remoteWriteUrl: `${daytwo.url}/api/v1/write`,
    rules: RULES,
    alertmanager: theirs.address,
    externalUrl: EXTERNAL_URL,
  })
  closers.push(() => prometheus.stop())
  await until('the series to arrive', async () => {
    const [mine, real] = await Promise.all([daytwo.query('ref:sum'), prometheus.query('ref:sum')])
    const isTold = [ours, theirs].every((one) => one?.received.some(({ labels }) => labels['alertname'] === 'Always'))
    return mine.length > 0 && real.length > 0 && isTold ? true : undefined
  })
  startMs = Date.now()
  const seconds = ROUNDS * 5 * PHASE_SECONDS
  for (let second = 0; second < seconds; second++) {
    await new Promise((resolve) => setTimeout(resolve, startMs + second * 1000 - Date.now()))
    if (second % PHASE_SECONDS === 0) play(second)
    if (second % PHASE_SECONDS !== CHECK_AT_SECONDS) continue
    const [real, mine] = await Promise.all([answersOf(prometheus.url), answersOf(daytwo.url)])
    checks.push({ second, theirs: real, ours: mine })
  }
  endMs = Date.now()
}, 300_000)

afterAll(async () => {
  for (const close of closers.reverse()) await close()
  folder.remove()
})

const keyOf = (labels: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(labels).sort())

/** Without times, which are compared apart. */
function comparable({ rules, alerts }: Answers): unknown {
  const alertOf = ({ labels, annotations, state, value }: PromAlert) => {
    return { labels, annotations: withoutGo(annotations), state, value }
  }
  const sorted = (list: readonly PromAlert[]) =>
    list.map(alertOf).sort((a, b) => (keyOf(a.labels) < keyOf(b.labels) ? -1 : 1))
  return {
    rules: rules.map(({ lastError, alerts: own, labels, ...rest }) => ({
      ...rest,
      lastEvaluation: undefined,
      evaluationTime: undefined,
      // Prometheus 3 writes an empty mapping, 2.42 leaves it out.
      labels: labels ?? {},
      // Which series it names of those that are alike is chance.
      lastError: lastError?.replace(/\[\{.*\}\]/, '[...]').replace(/, \{[^}]*\}/g, ''),
      alerts: own === undefined ? undefined : sorted(own),
    })),
    alerts: sorted(alerts),
  }
}

/** Where in Go's own words an expansion failed; ours says only what failed. */
function withoutGo(annotations: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const entries = Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    entries.map(([name, text]) => [name, text.replace(/(<error expanding template: )error executing .*?>: /, '$1')]),
  )
}

describe('the same rules on the same live series', () => {
  test('/api/v1/rules and /api/v1/alerts say the same in every phase', (context) => {
    requirePeer('prometheus', context)
    expect(checks).toHaveLength(ROUNDS * 5)
    for (const { second, theirs: real, ours: mine } of checks) {
      expect(comparable(mine), `at ${second} s`).toEqual(comparable(real))
    }
    const seen = JSON.stringify(checks.map(({ theirs: real }) => real))
    for (const part of ['"pending"', '"firing"', '"err"', 'many-to-many', 'same labelset', 'exceeded limit']) {
      expect(seen).toContain(part)
    }
    expect(checks[0]!.theirs.rules.length).toBeGreaterThanOrEqual(20)
  })

  test('alerts are active since the same time', (context) => {
    requirePeer('prometheus', context)
    const apart = checks.flatMap(({ second, theirs: real, ours: mine }) => {
      const since = new Map(mine.alerts.map(({ labels, activeAt }) => [keyOf(labels), Date.parse(activeAt)]))
      return real.alerts.flatMap(({ labels, activeAt }) => {
        const [a, b] = [Date.parse(activeAt), since.get(keyOf(labels)) ?? NaN]
        // What was so before the run began has been so since each of them was started.
        if (a < startMs && b < startMs) return []
        return Math.abs(a - b) <= APART_SECONDS_MAX * 1000 ? [] : [`${second} s ${keyOf(labels)}: ${a} and ${b}`]
      })
    })
    expect(apart).toEqual([])
  })

  test('ALERTS has the same series at the same times', async (context) => {
    requirePeer('prometheus', context)
    skipInScaleOut(context, 'VictoriaMetrics ends a series at a gap of some intervals, and answers report it')
    const lives = async (url: string): Promise<Map<string, string[]>> => {
      const range = `start=${startMs / 1000 + 1}&end=${endMs / 1000 - 2}&step=1`
      const { result } = await get<{ result: { metric: Record<string, string>; values: [number, string][] }[] }>(
        url,
        `/api/v1/query_range?query=ALERTS&${range}`,
      )
      return new Map(
        result.map(({ metric, values }) => [keyOf(metric), runsOf(values.map(([time]) => time - startMs / 1000))]),
      )
    }
    const [real, mine] = await Promise.all([lives(prometheus.url), lives(daytwo.url)])
    expect([...mine.keys()].sort()).toEqual([...real.keys()].sort())
    const apart = [...real].filter(([key, runs]) => !areClose(runs, mine.get(key) ?? []))
    expect(apart.map(([key, runs]) => `${key}: ${runs.join(' ')} and ${(mine.get(key) ?? []).join(' ')}`)).toEqual([])
    expect(real.size).toBeGreaterThan(15)
  })

  test('an Alertmanager is told the same news with the same payloads', async (context) => {
    requirePeer('prometheus', context)
    const seconds = (ROUNDS * 5 - 1) * PHASE_SECONDS
    const news = (received: readonly ReceivedAlert[]) =>
      newsOf(received.filter(({ atMs }) => atMs < startMs + (seconds + CHECK_AT_SECONDS) * 1000))
    const [real, mine] = [news(theirs!.received), news(ours!.received)]
    expect(mine.map(({ text }) => text)).toEqual(real.map(({ text }) => text))
    const apart = real.filter(({ startsMs }, i) => {
      const own = mine[i]!.startsMs
      return !(startsMs < startMs && own < startMs) && Math.abs(startsMs - own) > APART_SECONDS_MAX * 1000
    })
    expect(apart).toEqual([])
    expect(real.length).toBeGreaterThan(20)
    await Promise.resolve()
  })
})

/** `from-to` of each run of seconds without a gap. */
function runsOf(seconds: readonly number[]): string[] {
  const runs: [number, number][] = []
  for (const second of seconds) {
    const last = runs.at(-1)
    if (last !== undefined && second - last[1] < 1.5) last[1] = second
    else runs.push([second, second])
  }
  return runs.map(([from, to]) => `${Math.round(from)}-${Math.round(to)}`)
}

function areClose(a: readonly string[], b: readonly string[]): boolean {
  const [x, y] = [a, b].map((runs) => runs.flatMap((run) => run.split('-').map(Number)))
  return x!.length === y!.length && x!.every((second, i) => Math.abs(second - y![i]!) <= APART_SECONDS_MAX)
}

/** Sums of the values that `play` sets, and the values together. */
const SUMS = ['0', '1', '7.5', '10', '17.5']
const VALUES = ['one=0 two=0 ', 'one=10 two=0 ', 'one=10 two=7.5 ', 'one=0 two=7.5 ', 'two=1 ']

/**
 * Samples arrive while a group is evaluated: the sum recorded at its start may lack a value that fires the alert at its end, and
 * the query of an annotation may have one that its alert lacks, on either side. So any values that there ever were are the same
 * text.
 */
function withoutValues(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { asked, all, ...others } = annotations
  if (asked === undefined || all === undefined) return annotations
  const isSum = SUMS.some((sum) => asked === `${sum} of total`)
  return { ...others, asked: isSum ? 'a sum of total' : asked, all: VALUES.includes(all) ? 'values' : all }
}

/** Each change of an alert from firing to resolved and back, with what was sent then; repetitions are no news. */
function newsOf(received: readonly ReceivedAlert[]): { readonly text: string; readonly startsMs: number }[] {
  const states = new Map<string, { isFiring: boolean; count: number }>()
  return received
    .flatMap(({ atMs, labels, annotations, startsAt, endsAt, generatorURL }) => {
      const isFiring = Date.parse(endsAt) > atMs
      const state = states.get(keyOf(labels)) ?? { isFiring: false, count: 0 }
      if (state.isFiring === isFiring) return []
      states.set(keyOf(labels), { isFiring, count: state.count + 1 })
      const nth = String(state.count).padStart(2, '0')
      const what = { nth, isFiring, annotations: withoutValues(withoutGo(annotations)), generatorURL }
      return [{ text: `${keyOf(labels)} ${JSON.stringify(what)}`, startsMs: Date.parse(startsAt) }]
    })
    .sort((a, b) => (a.text < b.text ? -1 : 1))
}
