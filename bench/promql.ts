/**
 * PromQL over a fleet: the queries that rules and dashboards of 2,000 clusters ask, on an engine beside columns in
 * memory. The store is left out: a select answers ready columns by metric name.
 */
import { Labels } from '../src/model/labels.ts'
import { compileMatcher } from '../src/model/matcher.ts'
import type { Portions, Queryable, SelectRequest } from '../src/model/queryable.ts'
import type { SeriesColumns } from '../src/model/series.ts'
import { createLocalEngine } from '../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../src/promql/engine-options.ts'
import type { QueryEngine } from '../src/promql/query-engine.ts'

const CLUSTERS = 2000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const RANGE_MS = 6 * HOUR_MS
const HISTORY_MS = RANGE_MS + HOUR_MS
const END_MS = 1_787_220_000_000
const RUNS = 9

const RULES = [
  'kubevirt_hco_system_health_status > 1',
  'sum by (cluster) (increase(kubevirt_hco_out_of_band_modifications_total[10m])) > 0',
  'kubevirt_hco_out_of_band_modifications_total unless kubevirt_hco_out_of_band_modifications_total offset 10m',
  'count by (version) (kubevirt_hco_build_info) / ignoring (version) group_left count(kubevirt_hco_build_info)',
  'csv_succeeded * on (cluster) group_left (version) kubevirt_hco_build_info == 0',
  'sum by (cluster) (rate(rest_client_requests_total{code=~"5.."}[5m])) / sum by (cluster) (rate(rest_client_requests_total[5m])) > 0.05',
  'changes(kubevirt_hco_system_health_status[30m]) == 0 and on (cluster) csv_succeeded == 0',
  'histogram_quantile(0.95, sum by (le) (rate(migration_seconds_bucket[10m])))',
] as const

const RANGES = [
  ['count by (version) (kubevirt_hco_build_info)', MINUTE_MS],
  ['sum by (region) (rate(rest_client_requests_total[5m]))', MINUTE_MS],
  ['topk(5, sum by (cluster) (kubevirt_vmi_phase_count))', MINUTE_MS],
  ['max_over_time(sum(kubevirt_vmi_phase_count)[30m:5m])', 5 * MINUTE_MS],
] as const

/** Prints one table. Takes about a minute. */
export async function run(): Promise<void> {
  const store = new FleetColumns()
  const engine = createLocalEngine({
    queryable: store,
    options: DEFAULT_ENGINE_OPTIONS,
    nowMs: () => performance.now(),
  })
  console.log(
    `${CLUSTERS} clusters, ${store.seriesCount} series, ${store.sampleCount} samples; CPU ms, median of ${RUNS}`,
  )
  let rulesMs = 0
  for (const query of RULES) {
    const cpuMs = await measure(() => engine.instant({ expr: query, timeMs: END_MS }))
    rulesMs += cpuMs
    print(cpuMs, query)
  }
  print(rulesMs, `all ${RULES.length} rules`)
  for (const [query, stepMs] of RANGES) {
    const startMs = END_MS - RANGE_MS
    const cpuMs = await measure(() => engine.range({ expr: query, startMs, endMs: END_MS, stepMs }))
    // The baseline: the same answer, a step at a time.
    const stepwiseMs = await measure(() => eachStep(engine, query, stepMs), 1)
    print(
      cpuMs,
      `${RANGE_MS / stepMs + 1} steps, ${(stepwiseMs / cpuMs).toFixed(1)} times as fast as one by one: ${query}`,
    )
  }
}

function print(cpuMs: number, text: string): void {
  console.log(`  ${cpuMs.toFixed(1).padStart(8)} ms  ${text}`)
}

async function eachStep(engine: QueryEngine, expr: string, stepMs: number): Promise<void> {
  for (let timeMs = END_MS - RANGE_MS; timeMs <= END_MS; timeMs += stepMs) await engine.instant({ expr, timeMs })
}

async function measure(ask: () => Promise<unknown>, runs = RUNS): Promise<number> {
  const runsMs: number[] = []
  for (let i = 0; i < runs; i++) {
    const before = process.cpuUsage()
    await ask()
    const { user, system } = process.cpuUsage(before)
    runsMs.push((user + system) / 1000)
  }
  return runsMs.sort((a, b) => a - b)[Math.floor(runs / 2)]!
}

/** The metrics of the fleet with a sample a minute, made once, found by name. */
class FleetColumns implements Queryable {
  readonly #byName = new Map<string, SeriesColumns[]>()
  /** What was selected before, so that cutting columns is not measured. */
  readonly #answers = new Map<string, readonly SeriesColumns[]>()
  seriesCount = 0
  sampleCount = 0

  constructor() {
    for (let i = 0; i < CLUSTERS; i++) this.#addCluster(i)
  }

  #addCluster(i: number): void {
    const cluster = { cluster: `cluster-${i}`, region: `region-${i % 12}`, ...EXTERNAL_LABELS }
    this.#add('kubevirt_hco_system_health_status', cluster, (minute) => (i % 97 === 0 && minute > 300 ? 2 : 0))
    this.#add('kubevirt_hco_build_info', { ...cluster, version: `1.${10 + (i % 7)}.0` }, () => 1)
    this.#add('csv_succeeded', { ...cluster, name: `hco.v1.${10 + (i % 7)}.0` }, () => (i % 31 === 0 ? 0 : 1))
    for (const component of ['kubevirt', 'cdi']) {
      const labels = { ...cluster, component_name: component }
      this.#add('kubevirt_hco_out_of_band_modifications_total', labels, (minute) => Math.floor((minute + i) / 200))
    }
    for (const code of ['200', '404', '500']) {
      for (const pod of ['virt-api-1', 'virt-controller-1']) {
        const slope = code === '200' ? 60 + (i % 13) : i % 5
        this.#add('rest_client_requests_total', { ...cluster, code, pod }, (minute) => minute * slope)
      }
    }
    for (const phase of ['running', 'pending']) {
      this.#add('kubevirt_vmi_phase_count', { ...cluster, phase }, (minute) => (i + minute) % 50)
    }
    for (const le of ['1', '10', '60', '300', '+Inf']) {
      this.#add('migration_seconds_bucket', { ...cluster, le }, (minute) => minute * (le === '+Inf' ? 300 : Number(le)))
    }
  }

  #add(name: string, labels: Readonly<Record<string, string>>, valueAt: (minute: number) => number): void {
    const count = HISTORY_MS / MINUTE_MS + 1
    const columns: SeriesColumns = {
      ref: ++this.seriesCount,
      labels: Labels.of({ __name__: name, ...labels }),
      count,
      timesMs: Float64Array.from({ length: count }, (_, minute) => END_MS - HISTORY_MS + minute * MINUTE_MS),
      values: Float64Array.from({ length: count }, (_, minute) => valueAt(minute)),
    }
    this.sampleCount += count
    const known = this.#byName.get(name)
    if (known === undefined) this.#byName.set(name, [columns])
    else known.push(columns)
  }

  select({ matchers, fromMs, toMs }: SelectRequest): readonly SeriesColumns[] {
    const name = matchers.find((matcher) => matcher.name === '__name__')?.value ?? ''
    const tests = matchers
      .filter((matcher) => matcher.name !== '__name__')
      .map((matcher) => [matcher.name, compileMatcher(matcher)] as const)
    const from = Math.max(0, Math.ceil((fromMs - (END_MS - HISTORY_MS)) / MINUTE_MS))
    const to = Math.floor((toMs - (END_MS - HISTORY_MS)) / MINUTE_MS) + 1
    const key = JSON.stringify([matchers, from, to])
    let answer = this.#answers.get(key)
    answer ??= (this.#byName.get(name) ?? [])
      .filter(({ labels }) => tests.every(([label, matches]) => matches(labels.get(label))))
      .map((columns) => ({
        ...columns,
        count: to - from,
        timesMs: columns.timesMs.subarray(from, to),
        values: columns.values.subarray(from, to),
      }))
    this.#answers.set(key, answer)
    return answer
  }

  series(): Portions<Labels> {
    return []
  }

  labelNames(): Portions<string> {
    return []
  }

  labelValues(): Portions<string> {
    return []
  }
}

/** What a collector adds to every series: half a kilobyte of labels is what the fleet sends. */
const EXTERNAL_LABELS = {
  prometheus: 'openshift-monitoring/k8s',
  prometheus_replica: 'prometheus-k8s-0',
  namespace: 'openshift-cnv',
  container: 'hyperconverged-cluster-operator',
  endpoint: 'http-metrics',
  job: 'kubevirt-hyperconverged-operator-metrics',
  service: 'kubevirt-hyperconverged-operator-metrics',
}
