import type {
  StuckItem,
  StuckItems,
  UpgradeDetailItem,
  UpgradeItem,
  UpgradeItems,
  UpgradePhaseItem,
} from '../../../src/contract/fleet-upgrades.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** Upgrades of a made-up fleet: one that is stuck, one that runs, and three hundred that are over. */

const MINUTE_MS = 60_000

const timeAt = (nowMs: number, minutes: number): string => new Date(nowMs - minutes * MINUTE_MS).toISOString()

/** Phases by name, as minutes before now: begun, and ended where it is. */
function phases(
  nowMs: number,
  times: readonly (readonly [name: string, began: number | null, ended: number | null])[],
): UpgradePhaseItem[] {
  return times.map(([name, began, ended]) => ({
    name,
    startedAt: began === null ? null : timeAt(nowMs, began),
    endedAt: ended === null ? null : timeAt(nowMs, ended),
    state: began === null ? 'pending' : ended === null ? 'in_progress' : 'succeeded',
    resolutionSeconds: 1,
    reconstructed: name === 'olm',
  }))
}

export function stuckUpgrade(nowMs: number): UpgradeItem {
  return {
    id: 'u-stuck',
    cluster: 'ams-stuck-1',
    operator: 'kubevirt-hyperconverged',
    from: '1.17.3',
    to: '1.18.1',
    channel: 'stable',
    approval: 'Automatic',
    state: 'in_progress',
    startedAt: timeAt(nowMs, 60),
    endedAt: null,
    nodes: 12,
    phases: phases(nowMs, [
      ['offered', 70, 60],
      ['olm', 60, 56],
      ['olm.installing', 58, 56],
      ['operands', 56, null],
      ['operands.cdi', 56, 55],
      ['operands.kubevirt', 56, null],
      ['virt_handler.canary', 52, 50],
      ['virt_handler.waves', 50, null],
      ['settle', null, null],
      ['workloads', null, null],
    ]),
    blockedBy: STUCK_VERDICT(nowMs).causes[0] ?? null,
    evidence: [
      {
        source: 'objects',
        at: timeAt(nowMs, 60),
        text: 'CSV is Pending',
        ref: 'clusterserviceversions/kubevirt-hyperconverged/kubevirt-hyperconverged-operator.v1.18.1',
        phase: 'olm',
      },
      {
        source: 'metrics',
        at: timeAt(nowMs, 50),
        text: 'the first node runs KubeVirt v1.9.0',
        ref: 'kubevirt_info',
        phase: 'virt_handler.canary',
      },
    ],
    resolutionSeconds: 1,
  }
}

export function STUCK_VERDICT(nowMs: number): StuckItem {
  return {
    stuck: true,
    phase: 'virt_handler.waves',
    phaseSince: timeAt(nowMs, 50),
    stalledSince: timeAt(nowMs, 40),
    silentSince: null,
    baseline: {
      phase: 'virt_handler.waves',
      p50Seconds: 90,
      p95Seconds: 210,
      runs: 48,
      learnedFrom: 'edge',
      perWave: true,
      thresholdSeconds: 345,
    },
    causes: [
      {
        cause: 'virt_handler_rollout',
        text: 'virt-handler is not ready on worker-7.',
        since: timeAt(nowMs, 40),
        evidence: [
          {
            source: 'objects',
            at: timeAt(nowMs, 40),
            text: 'DaemonSet virt-handler: 7 of 12 updated, 1 unavailable',
            ref: 'daemonsets/kubevirt-hyperconverged/virt-handler',
            phase: 'virt_handler.waves',
          },
        ],
      },
      { cause: 'unknown', text: 'Something else.', since: null, evidence: [] },
    ],
  }
}

function runningUpgrade(nowMs: number): UpgradeItem {
  return {
    ...stuckUpgrade(nowMs),
    id: 'u-running',
    cluster: 'prod-0003',
    startedAt: timeAt(nowMs, 5),
    phases: phases(nowMs, [
      ['olm', 5, 1],
      ['operands', 1, null],
      ['virt_handler.canary', null, null],
      ['virt_handler.waves', null, null],
      ['settle', null, null],
      ['workloads', null, null],
    ]),
    blockedBy: null,
    evidence: [],
  }
}

const PAST = 300

/** Every fifteenth failed; the newest began two hours ago, and each before it six hours earlier. */
function pastUpgrade(index: number, nowMs: number): UpgradeItem {
  const began = 120 + index * 360
  const isFailed = index % 15 === 14
  return {
    ...stuckUpgrade(nowMs),
    id: `u-${index}`,
    cluster: index === 0 ? 'ams-stuck-1' : `prod-${String(index + 3).padStart(4, '0')}`,
    from: index === 0 ? '1.16.0' : '1.17.3',
    to: index === 0 ? '1.17.3' : '1.18.1',
    state: isFailed ? 'failed' : 'succeeded',
    startedAt: timeAt(nowMs, began),
    endedAt: timeAt(nowMs, began - 12),
    phases: phases(nowMs, [
      ['olm', began, began - 4],
      ['operands', began - 4, began - 9],
      ['virt_handler.canary', began - 5, began - 6],
      ['virt_handler.waves', began - 6, began - 9],
      ['settle', began - 9, began - 12],
    ]),
    blockedBy: null,
    evidence: [],
  }
}

export function allUpgrades(nowMs: number): readonly UpgradeItem[] {
  return [
    runningUpgrade(nowMs),
    stuckUpgrade(nowMs),
    ...Array.from({ length: PAST }, (_, index) => pastUpgrade(index, nowMs)),
  ]
}

/** `GET /api/fleet/v1/upgrades`, newest first. */
export function upgradeItems(search: URLSearchParams, nowMs: number): UpgradeItems {
  const states = search.getAll('state')
  const same = (name: 'cluster' | 'from' | 'to' | 'operator', value: string | null): boolean =>
    (search.get(name) ?? value) === value
  const fitting = allUpgrades(nowMs).filter(
    (one) =>
      (states.length === 0 || states.includes(one.state)) &&
      same('cluster', one.cluster) &&
      same('from', one.from) &&
      same('to', one.to) &&
      same('operator', one.operator),
  )
  const from = Number(search.get('cursor') ?? '0')
  const limit = Number(search.get('limit') ?? '100')
  return {
    asOf: new Date(nowMs).toISOString(),
    coverage: fleetCoverage(nowMs),
    upgrades: fitting.slice(from, from + limit),
    goneClusters: [],
    nextCursor: from + limit < fitting.length ? String(from + limit) : null,
  }
}

export function stuckItems(nowMs: number): StuckItems {
  return {
    asOf: new Date(nowMs).toISOString(),
    coverage: fleetCoverage(nowMs),
    open: 2,
    stuckCount: 1,
    silentCount: 0,
    stuck: [{ upgrade: stuckUpgrade(nowMs), verdict: STUCK_VERDICT(nowMs) }],
    nextCursor: null,
  }
}

/** `GET /api/fleet/v1/upgrades/{id}/detail`. */
export function upgradeDetail(id: string, nowMs: number): UpgradeDetailItem | undefined {
  const upgrade = allUpgrades(nowMs).find((one) => one.id === id)
  if (upgrade === undefined) return undefined
  const isStuck = id === 'u-stuck'
  const usual = (phase: string, p50Seconds: number, p95Seconds: number, runs = 48) => ({
    phase,
    runs,
    censored: 1,
    p50Seconds,
    p90Seconds: p95Seconds,
    p95Seconds,
    p50LowSeconds: p50Seconds,
    p50HighSeconds: p95Seconds,
  })
  return {
    asOf: new Date(nowMs).toISOString(),
    upgrade,
    clusterGoneSince: null,
    medianRun: { id: 'u-12', cluster: 'prod-0012', seconds: 700, traceId: 'f'.repeat(32) },
    csv: {
      name: 'kubevirt-hyperconverged-operator.v1.18.1',
      uid: 'csv-uid',
      replaces: 'kubevirt-hyperconverged-operator.v1.17.3',
      steps: [
        { phase: 'Pending', reason: 'RequirementsUnknown', startedAt: timeAt(nowMs, 60), endedAt: timeAt(nowMs, 59) },
      ],
    },
    namespace: 'kubevirt-hyperconverged',
    subscription: 'community-kubevirt-hyperconverged',
    installPlan: 'install-abcde',
    components: [
      {
        name: 'cdi',
        from: 'v1.64.0',
        to: 'v1.65.0',
        startedAt: timeAt(nowMs, 56),
        endedAt: timeAt(nowMs, 55),
        state: 'succeeded',
        message: null,
      },
      {
        name: 'kubevirt',
        from: 'v1.8.4',
        to: 'v1.9.0',
        startedAt: timeAt(nowMs, 56),
        endedAt: null,
        state: 'in_progress',
        message: 'Progressing: virt-handler 7 of 12',
      },
    ],
    hco: { startedAt: timeAt(nowMs, 60), endedAt: null },
    virtHandler: {
      desired: 12,
      updated: 7,
      ready: 11,
      waves: 11,
      startedAt: timeAt(nowMs, 52),
      canaryAt: timeAt(nowMs, 50),
      endedAt: null,
    },
    workloads: {
      outdatedAtStart: 140,
      outdatedNow: 44,
      startedAt: timeAt(nowMs, 45),
      endedAt: null,
      migrations: {
        workloadUpdate: 96,
        evacuation: null,
        other: 0,
        succeeded: 96,
        failed: 2,
        pending: 5,
        running: 3,
        pendingTimeouts: null,
      },
      perMinute: 2.2,
      etaAt: new Date(nowMs + 20 * MINUTE_MS).toISOString(),
    },
    lastProgressAt: timeAt(nowMs, 40),
    observedUntil: timeAt(nowMs, 0),
    conditionChanges: [
      { at: timeAt(nowMs, 55), component: 'kubevirt', type: 'Progressing', status: 'True', reason: 'RollingOut' },
    ],
    featureGateChanges: [],
    verdict: isStuck ? STUCK_VERDICT(nowMs) : null,
    traceId: '0123456789abcdef0123456789abcdef',
    usual: [
      usual('olm', 200, 260),
      usual('operands', 300, 480),
      usual('virt_handler.canary', 60, 90),
      usual('virt_handler.waves', 110, 300),
      usual('settle', 120, 200, 3),
    ],
    usualFrom: 'edge',
  }
}
