import { beforeAll, describe, expect, test } from 'vitest'
import { bindRunbook } from '../../src/catalog/bind-runbook.ts'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { metricNamesOf } from '../../src/promql/ast.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import { createRuleEngine, type RuleEngine } from '../../src/rules/engine.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import type { RuleAlert } from '../../src/model/alert.ts'
import { roleOf } from '../../sim/cast.ts'
import { createFleet } from '../../sim/fleet.ts'
import type { Role } from '../../sim/cluster-plan.ts'
import { silenceAt } from '../../sim/scenarios/silence.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { shippedCatalog } from './content.ts'

// The shipped rules, evaluated by our own engine over a simulated fleet whose truth is known: each alert that ought to
// fire does, on its cluster, once, and no other. Then the pages of those alerts answer.

const MINUTE_MS = 60_000
const STEP_MS = 30_000
const START_MS = Date.UTC(2026, 7, 20, 10)
/** Late enough for the alert that waits an hour. */
const PRESENT_MS = START_MS + 65 * MINUTE_MS
const END_MS = PRESENT_MS + 5 * MINUTE_MS
/** A server sees an event with the next scrape, and tells of it with the next evaluation, here one a minute. */
const SEEN_AFTER_MS = 4 * STEP_MS
/** Without stale markers, what a silent cluster sent last is believed for a while; increases longest. */
const FORGOTTEN_AFTER_MS = 16 * MINUTE_MS

const catalog = shippedCatalog()
const { groups } = loadRuleFiles(catalog.ruleFiles)
/** The usual cast, and behind it those that the usual fleet has further back. */
const TROUBLED: readonly Role[] = [
  'rest_errors',
  'not_evictable',
  'guests',
  'stuck_machines',
  'ping_pong',
  'outdated',
  'api_down',
]
const fleet = createFleet({
  seed: 'rules',
  clusters: 30 + TROUBLED.length,
  startMs: START_MS,
  presentMs: PRESENT_MS,
  roleOf: (index) => TROUBLED[index - 30] ?? roleOf(index),
})
const store = new MemoryQueryable()
const engine = createLocalEngine({ queryable: store, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
const instant = (expr: string, timeMs: number): Promise<QueryResult> => engine.instant({ expr, timeMs })

/** `cluster alertname severity labels` of what tells one alert from another. */
const TELLING = new Set([
  ...['component_name', 'annotation_name', 'data_import_cron_name', 'managed_data_source_name'],
  ...['cron_name', 'persistentvolumeclaim', 'name', 'phase', 'vmi', 'mount_point'],
])
function keyOf(cluster: string, alertname: string, severity: string, labels: Labels): string {
  return `${cluster} ${alertname} ${severity} ${labels.keep(TELLING).toString()}`
}

/** Alerts that the fleet of this test has a story for. */
const TOLD = [
  'CDIDataImportCronOutdated',
  'CsvAbnormalOver30Min',
  'DaytwoClusterSilent',
  'HCOGoldenImageWithNoArchitectureAnnotation',
  'HCOGoldenImageWithNoSupportedArchitecture',
  'HCOInstallationIncomplete',
  'HCOMisconfiguredDescheduler',
  'HCOMultiArchGoldenImagesDisabled',
  'HCOOperatorConditionsUnhealthy',
  'KubeVirtCRModified',
  'KubemacpoolMACCollisionDetected',
  'PersistentVolumeFillingUp',
  'SSPFailingToReconcile',
  'UnsupportedHCOModification',
  'GuestFilesystemAlmostOutOfSpace',
  'GuestVCPUQueueHighWarning',
  'KubeVirtVMGuestMemoryPressure',
  'KubeVirtVMIExcessiveMigrations',
  'VMCannotBeEvicted',
  'VirtAPIDown',
  'VirtControllerRESTErrorsBurst',
  'VirtHandlerDaemonSetRolloutFailing',
  'VirtualMachineStuckInUnhealthyState',
  'VirtualMachineStuckOnNode',
]

/** Alerts that are evaluated less often than once a minute: told up to a beat later. */
const SLOW = groups.filter(({ intervalMs }) => intervalMs > MINUTE_MS)
const SLOW_NAMES = new Set(SLOW.flatMap((group) => group.rules.map(({ name }) => name)))
const SLOW_BEAT_MS = Math.max(...SLOW.map(({ intervalMs }) => intervalMs))

interface Moment {
  readonly timeMs: number
  readonly alerts: readonly RuleAlert[]
  /** Keys of the firing alerts; silence is compared apart. */
  readonly firing: readonly string[]
}

const moments: Moment[] = []
let rules: RuleEngine

function truthAt(timeMs: number): string[] {
  return fleet
    .truthAt(timeMs)
    .alerts.filter(({ state }) => state === 'firing')
    .map((alert) => keyOf(alert.cluster, alert.alertname, alert.severity, Labels.of(alert.labels)))
}

/**
 * Truth at each step of the time in which an event may or may not have been seen. One step ahead, too: an increase
 * looks from sample to sample, so what happened between two of them leaves the window up to a scrape early.
 */
function truthsAround(timeMs: number): string[][] {
  const steps = Array.from({ length: SEEN_AFTER_MS / STEP_MS + 2 }, (_, i) => timeMs + (1 - i) * STEP_MS)
  return steps.map(truthAt)
}

beforeAll(async () => {
  rules = createRuleEngine({
    groups,
    query: instant,
    appendDerived: (samples) => {
      for (const { labels, timeMs, value, isStale } of samples) {
        if (isStale) store.appendStale(labels, timeMs)
        else store.append(labels, timeMs, value)
      }
      return Promise.resolve()
    },
    states: { load: () => Promise.resolve(new Map()), replaceGroup: () => Promise.resolve() },
    externalUrl: 'https://daytwo.example',
  })
  await rules.restore(START_MS)
  // Only what rules and pages read: the rest of a cluster's series would make the test slow and prove nothing.
  const read = new Set([
    ...groups.flatMap((group) => group.rules.flatMap((rule) => metricNamesOf(parseExpr(rule.expr)))),
    ...['kubevirt_vmi_migrations_in_running_phase'],
  ])
  for (let timeMs = START_MS; timeMs <= END_MS; timeMs += STEP_MS) {
    for (const { labels, timeMs: atMs, value, isStale } of fleet.samplesAt(timeMs)) {
      if (!read.has(labels.metricName)) continue
      if (isStale) store.appendStale(labels, atMs)
      else store.append(labels, atMs, value)
    }
    if ((timeMs - START_MS) % MINUTE_MS !== 0) continue
    const report = await rules.evaluate(timeMs)
    expect(report.groups.flatMap(({ errors }) => errors)).toEqual([])
    const alerts = rules.alerts().filter(({ state }) => state === 'firing')
    const firing = alerts
      .filter(({ rule }) => rule.name !== 'DaytwoClusterSilent')
      .map(({ labels, rule }) => keyOf(labels.get('cluster'), rule.name, labels.get('severity'), labels))
    moments.push({ timeMs, alerts, firing })
  }
}, 300_000)

/** Once the fleet has been seen for as long as any alert of the moment waits, every two minutes. */
function checked(): Moment[] {
  return moments.filter(
    ({ timeMs }) => timeMs > START_MS + 18 * MINUTE_MS && (timeMs - START_MS) % (2 * MINUTE_MS) === 0,
  )
}

describe('on a fleet whose truth is known', () => {
  test('every alert that is true fires', () => {
    for (const { timeMs, firing } of checked()) {
      const [now = [], ...before] = truthsAround(timeMs)
      const longAgo = truthAt(timeMs - SEEN_AFTER_MS - SLOW_BEAT_MS)
      const isSlow = (key: string): boolean => SLOW_NAMES.has(key.split(' ')[1]!)
      const certain = now.filter(
        (key) => before.every((truth) => truth.includes(key)) && (!isSlow(key) || longAgo.includes(key)),
      )
      expect(firing).toEqual(expect.arrayContaining(certain))
    }
  })

  test('no alert fires that is not true, and none twice', () => {
    for (const { timeMs, firing } of checked()) {
      const possible = new Set(truthsAround(timeMs).flat())
      const fading = fleet.plans
        .filter((plan) => {
          const silence = silenceAt(plan, timeMs)
          return silence !== undefined && timeMs - silence.fromMs < FORGOTTEN_AFTER_MS
        })
        .map((plan) => plan.profile.name)
      const wrong = firing.filter((key) => !possible.has(key) && !fading.some((name) => key.startsWith(`${name} `)))
      expect(wrong).toEqual([])
      expect(new Set(firing).size).toBe(firing.length)
    }
  })

  test('many kinds of alerts were there to be compared', () => {
    const names = new Set(moments.flatMap(({ alerts }) => alerts.map(({ rule }) => rule.name)))
    expect([...names]).toEqual(expect.arrayContaining(TOLD))
  })

  test('a silent cluster is told, and no other', () => {
    for (const { timeMs, alerts } of checked()) {
      const told = alerts
        .filter(({ rule }) => rule.name === 'DaytwoClusterSilent')
        .map(({ labels }) => labels.get('cluster'))
      const silent = fleet.truthAt(timeMs).silent.filter(({ sinceMs }) => sinceMs > START_MS)
      const certain = silent.filter(({ sinceMs }) => timeMs - sinceMs > 21 * MINUTE_MS).map(({ cluster }) => cluster)
      const possible = silent.filter(({ sinceMs }) => timeMs - sinceMs >= 14 * MINUTE_MS).map(({ cluster }) => cluster)
      expect(told).toEqual(expect.arrayContaining(certain))
      expect(possible).toEqual(expect.arrayContaining(told))
    }
    expect(moments.at(-1)?.alerts.filter(({ rule }) => rule.name === 'DaytwoClusterSilent').length).toBeGreaterThan(0)
  })

  test('the health of each cluster has one value, the worst that is true of it', async () => {
    const { timeMs, firing } = moments.at(-1)!
    const { value } = await instant('cluster:daytwo_hco_operator_health_status:max', timeMs)
    const samples = value.type === 'vector' ? value.samples : []
    const byCluster = new Map(samples.map((sample) => [sample.labels.get('cluster'), sample.value]))
    expect(byCluster.size).toBe(samples.length)
    expect(byCluster.size).toBeGreaterThan(20)
    for (const [cluster, health] of byCluster) {
      if (firing.some((key) => key.startsWith(`${cluster} HCOMisconfiguredDescheduler `))) expect(health).toBe(2)
      else if (firing.some((key) => key.startsWith(`${cluster} KubeVirtCRModified `)))
        expect(health).toBeGreaterThanOrEqual(1)
    }
  })
})

describe('the page of a firing alert', () => {
  test('answers in every cell without an error, and does not say that it is over', async () => {
    const { timeMs, alerts } = moments.at(-1)!
    const seen = new Set<string>()
    for (const alert of alerts) {
      const page = catalog.pages.get(alert.rule.name)
      if (page === undefined || seen.has(page.name)) continue
      seen.add(page.name)
      const bound = bindRunbook(page, {
        alert,
        inventory: { cluster: alert.labels.get('cluster'), namespace: 'cnv', hcoVersion: '1', kubevirtVersion: '1' },
      })
      expect([page.name, bound.unbound]).toEqual([page.name, []])
      const answers = new Map<string, QueryResult>()
      for (const { id, expr } of bound.cells) answers.set(id, await instant(expr, timeMs))
      const linesOf = (id: string): number => {
        const value = answers.get(id)?.value
        return value?.type === 'vector' ? value.samples.length : -1
      }
      expect([page.name, linesOf('diagnosis-1') > 0]).toEqual([page.name, true])
      // A silent cluster answers nothing, which is the point of its page.
      expect([page.name, linesOf('mitigation-1')]).toEqual([page.name, page.name === 'DaytwoClusterSilent' ? 0 : 1])
    }
    expect(seen.size).toBeGreaterThan(6)
  })
})
