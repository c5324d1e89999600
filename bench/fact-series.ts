/**
 * Series that are computed from facts, beside the same series as stored samples, in the same run: 10,000 clusters with six
 * upgrades each, and a store with their samples of the last minutes, one each minute. First what rules select of them, also when the facts of a cluster changed before, then
 * what dashboards select over 90 days, which stored samples would not have after a start. CPU ms.
 */
import { withoutPause } from '../src/base/thread-slices.ts'
import { createFleetIndex } from '../src/fleet/clusters/fleet-index.ts'
import { FACT_SERIES } from '../src/fleet/series/derived-metrics.ts'
import { FactHistory } from '../src/fleet/series/fact-history.ts'
import { withFacts } from '../src/fleet/series/with-facts.ts'
import type { ClusterFacts } from '../src/model/fleet-facts.ts'
import type { Modification, VersionInterval } from '../src/model/cluster-record.ts'
import { PHASES, type UpgradeRecord } from '../src/model/upgrade.ts'
import { createLocalEngine, type LocalEngine } from '../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../src/promql/engine-options.ts'
import { messageOf } from '../src/base/errors.ts'
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { openReader } from '../src/store/reader.ts'
import { openWriter } from '../src/store/writer.ts'
import { emptyRecord } from '../test/support/cluster-record.ts'
import { tempDir } from '../test/support/temp-dir.ts'
import { upgradeRecord } from '../test/support/upgrade-record.ts'

const NOW_MS = Date.UTC(2026, 7, 20, 10)
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const UPGRADES_OF_CLUSTER = 6
const STORED_MINUTES = 10
const RUNS = 9

/** As shipped rules select them; the ranges of `increase` are longer than what is stored here. */
const RULES = [
  'max by (cluster, cluster_id, operator, from, to) (daytwo_approval_waiting_seconds) > 172800',
  'sum by (cluster, cluster_id, component) (increase(daytwo_out_of_band_modifications_total[1h])) > 5',
  'max by (cluster, cluster_id, operator, from, to) (daytwo_edge_success_ratio_high) < 0.9',
  'sum by (operator, from, to) (increase(daytwo_upgrades_total{outcome=~"failed|rolled_back"}[3d])) > 0',
  'max by (cluster, cluster_id, minor, platform_minor) (daytwo_version_skew) != 0',
  'count by (hco_version) (daytwo_cluster_info)',
]

const DASHBOARDS: readonly (readonly [expr: string, days: number, stepMs: number])[] = [
  ['max by (version) (daytwo_adoption_clusters)', 90, 6 * 60 * MINUTE_MS],
  ['count by (phase) (max by (cluster, operator, phase) (daytwo_upgrade_phase_seconds))', 7, 60 * MINUTE_MS],
  ['sum by (le) (increase(daytwo_upgrade_duration_seconds_bucket[2h]))', 90, 6 * 60 * MINUTE_MS],
  ['count by (hco_version) (daytwo_cluster_info)', 90, 60 * MINUTE_MS],
]

export async function run({ quick = false }: { readonly quick?: boolean }): Promise<void> {
  const clusters = quick ? 1000 : 10_000
  const dir = tempDir('bench-fact-series')
  const options = { ...STORE_DEFAULTS, dir: dir.path }
  const writer = openWriter(options, NOW_MS)
  const reader = openReader(options, writer.share())
  try {
    const plain = createFleetIndex()
    const history = new FactHistory(plain)
    const index = history.following(plain)
    const beforeBytes = process.memoryUsage().heapUsed
    const startedMs = cpuMs()
    for (let i = 0; i < clusters; i++) index.put(factsOf(i))
    while (index.edges.estimateNext());
    console.log(`${clusters} clusters, ${clusters * UPGRADES_OF_CLUSTER} upgrades; CPU ms, median of ${RUNS}`)
    const megabytes = (process.memoryUsage().heapUsed - beforeBytes) / 2 ** 20
    console.log(`put into memory: ${(cpuMs() - startedMs).toFixed(0)} ms, ${megabytes.toFixed(0)} MiB`)
    const engineOf = (queryable: Parameters<typeof createLocalEngine>[0]['queryable']) =>
      createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => performance.now() })
    const computed = engineOf(withFacts(reader, () => history))
    const stored = engineOf(reader)
    const matchers = [{ name: '__name__', op: '=~', value: FACT_SERIES.join('|') } as const]
    for (let minute = STORED_MINUTES; minute >= 0; minute--) {
      const timeMs = NOW_MS - minute * MINUTE_MS
      withoutPause(history.advance(timeMs))
      for (const { labels, value } of await computed.newest([matchers], { fromMs: timeMs - MINUTE_MS, toMs: timeMs })) {
        const ref = writer.appender.resolve(labels)
        if (ref !== undefined) writer.appender.append(ref, timeMs, value)
      }
      await writer.appender.commit()
    }
    console.log('\n  computed   changed    stored   ratio  rule')
    let changes = 0
    const change = (): void => {
      index.put(changedFacts(changes++))
    }
    for (const expr of RULES) {
      const times = [
        await medianMs(computed, expr),
        await medianMs(computed, expr, change),
        await medianMs(stored, expr),
      ]
      const ratio = (times[0]! / times[2]!).toFixed(2)
      console.log(`${times.map((ms) => ms.toFixed(2).padStart(10)).join('')}${ratio.padStart(8)}  ${expr}`)
    }
    console.log('\n  computed   longest block  over 90 days, or 7')
    for (const [expr, days, stepMs] of DASHBOARDS) console.log(await rangeLine(computed, expr, days, stepMs))
  } finally {
    reader.close()
    await writer.close()
    dir.remove()
  }
}

/** @param change before each evaluation, as facts change between those of a rule; not measured */
async function medianMs(engine: LocalEngine, expr: string, change?: () => void): Promise<number> {
  const times: number[] = []
  for (let i = 0; i <= RUNS; i++) {
    change?.()
    const startMs = cpuMs()
    await engine.instant({ expr, timeMs: NOW_MS })
    if (i > 0) times.push(cpuMs() - startMs)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

async function rangeLine(engine: LocalEngine, expr: string, days: number, stepMs: number): Promise<string> {
  let [longestMs, lastMs] = [0, performance.now()]
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  const startMs = cpuMs()
  const outcome = await engine
    .range({ expr, startMs: NOW_MS - days * DAY_MS, endMs: NOW_MS, stepMs })
    .then(({ stats }) => `${stats.samplesRead} runs`, messageOf)
  const tookMs = cpuMs() - startMs
  longestMs = Math.max(longestMs, performance.now() - lastMs)
  clearInterval(timer)
  return `${tookMs.toFixed(0).padStart(10)} ${longestMs.toFixed(0).padStart(12)} ms  ${expr}: ${outcome}`
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Versions of OpenShift Virtualization, of which clusters are one ahead of another. */
function factsOf(i: number): ClusterFacts {
  const cluster = `cluster-${i}`
  const firstMs = NOW_MS - 365 * DAY_MS
  const starts = Array.from({ length: UPGRADES_OF_CLUSTER }, (_, step) => firstMs + (step * 55 + (i % 50)) * DAY_MS)
  const versionAt = (step: number): string => `4.${14 + step}.${i % 3}`
  const intervals = ['kubevirt-hyperconverged', 'openshift'].flatMap((operator) =>
    [firstMs, ...starts].map((fromMs, step): VersionInterval => {
      const untilMs = starts[step]
      return {
        ...{ cluster, operator, version: versionAt(step), fromMs, isStartKnown: true, resolutionSeconds: 1 },
        ...(untilMs === undefined ? {} : { untilMs }),
      }
    }),
  )
  const version = versionAt(UPGRADES_OF_CLUSTER)
  return {
    cluster: emptyRecord(cluster, {
      ...{ firstSeenMs: firstMs, lastSeenMs: NOW_MS, flavour: 'openshift', hcoVersion: version },
      ...{ platform: { kind: 'openshift', version }, versions: { kubevirt: `1.${i % 5}.0` }, region: `r${i % 9}` },
    }),
    intervals,
    upgrades: starts.map((startedMs, step) => upgradeOf(i, step, startedMs, versionAt)),
    modifications: Array.from({ length: 3 }, (_, n): Modification => {
      const startedMs = NOW_MS - (n * 40 + (i % 30)) * DAY_MS - (i % 1440) * MINUTE_MS
      return {
        ...{ id: `${cluster} ${n}`, cluster, kind: 'out_of_band', component: 'kubevirt', count: 5, text: '' },
        ...{ startedMs, endedMs: startedMs + 20 * MINUTE_MS, isUpgradeMode: false, resolutionSeconds: 1 },
      }
    }),
  }
}

/** A cluster that has another version since now. */
function changedFacts(i: number): ClusterFacts {
  const facts = factsOf(i)
  const { cluster } = facts.cluster
  const changed = { operator: 'kubevirt-hyperconverged', version: '4.21.9', fromMs: NOW_MS - MINUTE_MS }
  return {
    ...facts,
    cluster: { ...facts.cluster, hcoVersion: changed.version },
    intervals: [
      ...facts.intervals.map((one) =>
        one.operator === changed.operator ? { ...one, untilMs: one.untilMs ?? changed.fromMs } : one,
      ),
      { cluster, ...changed, isStartKnown: true, resolutionSeconds: 1 },
    ],
  }
}

/** Of the newest upgrades one in a hundred waits for its approval, and one in twenty failed. */
function upgradeOf(i: number, step: number, startedMs: number, versionAt: (step: number) => string): UpgradeRecord {
  const isOpen = step === UPGRADES_OF_CLUSTER - 1 && i % 100 === 0
  const endedMs = startedMs + PHASES.length * MINUTE_MS
  const phases = PHASES.slice(0, isOpen ? 2 : PHASES.length).map((name, n) => ({
    ...{ name, startedMs: startedMs + n * MINUTE_MS, resolutionSeconds: 1, isReconstructed: false },
    ...(isOpen && n === 1
      ? { state: 'in_progress' as const }
      : { state: 'succeeded' as const, endedMs: startedMs + (n + 1) * MINUTE_MS }),
  }))
  return upgradeRecord(
    {
      ...{ id: `cluster-${i} ${step}`, cluster: `cluster-${i}`, from: versionAt(step), to: versionAt(step + 1) },
      ...{ startedMs, phases, state: isOpen ? 'in_progress' : (i + step) % 20 === 0 ? 'failed' : 'succeeded' },
      ...(isOpen ? {} : { endedMs }),
    },
    { observedUntilMs: NOW_MS },
  )
}
