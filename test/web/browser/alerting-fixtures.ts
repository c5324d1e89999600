import type { AlertRun, AlertRuns, AlertStrips } from '../../../src/contract/alert-history.ts'
import type { AlertMarks, AlertDetail, AlertItem, AlertItems } from '../../../src/contract/alerts.ts'
import { NO_MARKS } from '../../../src/web/lib/alert-marks.ts'
import type { DeliveryItem, DeliveryItems, ReceiverItems, RouteItem } from '../../../src/contract/deliveries.ts'
import type { LintReport } from '../../../src/contract/lint.ts'
import type { PrometheusRuleGroup } from '../../../src/contract/prometheus.ts'
import type { Replay, ReplayDifference, ReplayOutcome, RuleTests } from '../../../src/contract/replay.ts'
import type { MatcherItem, SilenceItem, SilencePreview } from '../../../src/contract/silences.ts'
import { clusterName } from './fixtures.ts'

/** Answers about alerting of the made-up fleet, typed by the contract. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const PAGED: AlertMarks = {
  ...NO_MARKS,
  receivers: ['on-call'],
  decisions: [{ receiver: 'on-call', sends: true, reason: 'first', atMs: 0 }],
}

/** Marks of the alert at a place of the list: a few of each kind. */
export function marksAt(i: number, nowMs: number): AlertMarks {
  const decisions = PAGED.decisions.map((decision) => ({ ...decision, atMs: nowMs - 3 * MINUTE_MS }))
  if (i % 12 === 3) {
    return {
      ...PAGED,
      silencedBy: [SILENCE_ID],
      decisions: [{ ...decisions[0]!, sends: false, reason: 'silenced_by' }],
    }
  }
  if (i % 12 === 5) {
    return {
      ...PAGED,
      decisions,
      acknowledged: { by: 'night shift', atMs: nowMs - 9 * MINUTE_MS, note: 'draining the node' },
    }
  }
  if (i % 12 === 8) {
    return {
      ...PAGED,
      expected: {
        upgrade: 'u-17',
        title: 'fra-prod-4 from 1.18.3 to 1.19.2',
        phase: 'operands',
        reason: 'virt-handler restarts on every node',
      },
      decisions: [{ ...decisions[0]!, sends: false, reason: 'expected_in_upgrade' }],
    }
  }
  if (i % 12 === 9) return { ...PAGED, decisions, inhibitedBy: ['0000000000000000'] }
  if (i % 12 === 11) return { ...PAGED, decisions, mutedBy: ['weekend'] }
  return { ...PAGED, decisions }
}

export const SILENCE_ID = '5f6a1c1e-9b1d-4a57-8f6a-0d3b1c2e4f50'

/** Four hours of an alert, quiet, then at work. */
export function strips(fingerprints: readonly string[], nowMs: number): AlertStrips {
  return {
    fromMs: nowMs - DAY_MS,
    blockMs: HOUR_MS,
    strips: Object.fromEntries(
      fingerprints.map((fingerprint) => {
        const seed = Number.parseInt(fingerprint.slice(-4), 16) || 0
        return [
          fingerprint,
          Array.from({ length: 24 }, (_, i) => (i > 20 - (seed % 9) ? 1 : (i + seed) % 7 === 0 ? 0.4 : 0)),
        ]
      }),
    ),
  }
}

export function alertDetail(items: AlertItems, fingerprint: string): AlertDetail | undefined {
  const alert = items.alerts.find((one) => one.fingerprint === fingerprint)
  if (alert === undefined) return undefined
  const nowMs = items.asOfMs
  const same = items.alerts.filter((one) => one.alertname === alert.alertname && one.fingerprint !== fingerprint)
  return {
    asOfMs: nowMs,
    alert,
    comparison: {
      value: alert.value,
      operator: '>',
      threshold: 0,
      expr: 'sum by (cluster, component_name) (increase(kubevirt_hco_out_of_band_modifications_total[10m]))',
      text: `${String(alert.value)} is above the threshold 0`,
    },
    changes: [
      {
        atMs: alert.activeAtMs - 6 * MINUTE_MS,
        resolutionMs: 30_000,
        kind: 'modification',
        text: 'Somebody changed kubevirt/kubevirt-kubevirt-hyperconverged by hand',
        series: 'kubevirt_hco_out_of_band_modifications_total',
      },
      {
        atMs: alert.activeAtMs - 12 * MINUTE_MS,
        resolutionMs: 30_000,
        kind: 'version',
        text: 'HyperConverged went from 1.18.3 to 1.19.2',
        from: '1.18.3',
        to: '1.19.2',
      },
      {
        atMs: alert.activeAtMs - 25 * MINUTE_MS,
        resolutionMs: 30_000,
        kind: 'alert',
        text: 'HCOOperatorConditionsUnhealthy began',
        fingerprint: '0000000000000000',
      },
      {
        atMs: alert.activeAtMs - 40 * MINUTE_MS,
        resolutionMs: 30_000,
        kind: 'label',
        text: 'channel became candidate',
      },
    ],
    changesFromMs: alert.activeAtMs - HOUR_MS,
    changesToMs: alert.activeAtMs,
    unknown: ['Patches of this cluster are not known: it does not send kubevirt_hco_unsafe_modifications.'],
    elsewhere: {
      alerts: same.map((one) => ({
        fingerprint: one.fingerprint,
        cluster: one.cluster,
        state: one.state,
        activeAtMs: one.activeAtMs,
        value: one.value,
      })),
      clusters: new Set([alert, ...same].map(({ cluster }) => cluster)).size,
      clustersOf: 200,
      shared:
        same.length === 0
          ? []
          : [
              { label: 'version', value: '1.19.2', having: 4, havingOf: 5, restHaving: 31, restOf: 190, lift: 4.9 },
              { label: 'region', value: 'eu-central', having: 3, havingOf: 5, restHaving: 40, restOf: 190, lift: 2.8 },
            ],
    },
    deliveries: alert.marks?.decisions.some(({ sends }) => sends) === true ? [delivery(1, nowMs, {})] : [],
    reportedAlsoBy: [],
  }
}

export function alertRuns(nowMs: number, count = 60): AlertRun[] {
  const names = ['KubeVirtCRModified', 'VirtHandlerDown', 'HCOInstallationIncomplete', 'VMCannotBeEvicted']
  return Array.from({ length: count }, (_, i) => {
    const alertname = names[i % names.length]!
    const cluster = clusterName(i % 13)
    const firedAtMs = nowMs - (i * 97 + 30) * MINUTE_MS
    return {
      fingerprint: (i + 4096).toString(16).padStart(16, '0'),
      alertname,
      cluster,
      severity: (['warning', 'critical', 'info', 'warning'] as const)[i % 4]!,
      labels: { alertname, cluster, ...(i % 4 === 3 ? { name: `vm-${i}`, namespace: 'shop' } : {}) },
      annotations: { summary: `${alertname} on ${cluster}` },
      activeAtMs: firedAtMs - 5 * MINUTE_MS,
      firedAtMs,
      ...(i === 0 ? {} : { resolvedAtMs: firedAtMs + (4 + (i % 50)) * MINUTE_MS }),
      ...(i % 5 === 2 ? { acknowledgedBy: 'night shift' } : {}),
      ...(i % 10 === 2 ? { acknowledgedNote: 'restarted what held the lock' } : {}),
    }
  })
}

/** As the route does it: newest first, filtered, in pages. */
export function pageOfRuns(runs: readonly AlertRun[], search: URLSearchParams): AlertRuns {
  const at = (name: string): number => Number(search.get(name) ?? Number.NaN)
  const from = Number(search.get('cursor') ?? 0)
  const limit = Number(search.get('limit') ?? 100)
  const found = runs.filter(
    (run) =>
      ['alertname', 'cluster', 'fingerprint'].every(
        (name) => !search.has(name) || run[name as 'cluster'] === search.get(name),
      ) && !(run.firedAtMs < at('fromMs')),
  )
  const page = found.slice(from, from + limit)
  return { runs: page, ...(from + limit < found.length ? { nextCursor: String(from + limit) } : {}) }
}

export function silences(nowMs: number): SilenceItem[] {
  return [
    {
      id: SILENCE_ID,
      state: 'active',
      matchers: [
        { name: 'alertname', op: '=', value: 'KubeVirtCRModified' },
        { name: 'cluster', op: '=~', value: 'prague-.*' },
      ],
      startsAtMs: nowMs - 2 * HOUR_MS,
      endsAtMs: nowMs + 2 * HOUR_MS,
      updatedAtMs: nowMs - 2 * HOUR_MS,
      createdBy: 'night shift',
      comment: 'OPS-211: settings are being moved into the HyperConverged object',
      untilResolved: false,
      hides: ['0000000000000003', '000000000000000f'],
    },
    {
      id: '0b7c2a34-55d1-4b7e-a4c2-1f5d6e7a8b90',
      state: 'active',
      matchers: [{ name: 'alertname', op: '=', value: 'PodDisruptionBudgetAtLimit' }],
      startsAtMs: nowMs - 400 * DAY_MS,
      endsAtMs: Date.UTC(3000, 0, 1),
      updatedAtMs: nowMs - 400 * DAY_MS,
      createdBy: 'hyperconverged-cluster-operator',
      comment: 'Silence KubeVirt PodDisruptionBudgetAtLimit alerts by default.',
      untilResolved: false,
      hides: [],
    },
    {
      id: '77aa2a34-55d1-4b7e-a4c2-1f5d6e7a8b91',
      state: 'pending',
      matchers: [{ name: 'cluster', op: '=', value: 'brno-edge-2' }],
      startsAtMs: nowMs + 3 * HOUR_MS,
      endsAtMs: nowMs + 6 * HOUR_MS,
      updatedAtMs: nowMs - HOUR_MS,
      createdBy: 'day shift',
      comment: 'New switches',
      untilResolved: true,
      hides: [],
    },
    {
      id: '99aa2a34-55d1-4b7e-a4c2-1f5d6e7a8b92',
      state: 'expired',
      matchers: [{ name: 'severity', op: '!=', value: 'critical' }],
      startsAtMs: nowMs - 30 * HOUR_MS,
      endsAtMs: nowMs - 26 * HOUR_MS,
      updatedAtMs: nowMs - 30 * HOUR_MS,
      createdBy: 'day shift',
      comment: 'Fire drill',
      untilResolved: false,
      hides: [],
    },
  ]
}

export function matches(labels: Readonly<Record<string, string>>, matchers: readonly MatcherItem[]): boolean {
  return matchers.every(({ name, op, value }) => {
    const text = labels[name] ?? ''
    const isEqual = op === '=' || op === '!=' ? text === value : new RegExp(`^(?:${value})$`).test(text)
    return op === '=' || op === '=~' ? isEqual : !isEqual
  })
}

export function silencePreview(
  alerts: readonly AlertItem[],
  runs: readonly AlertRun[],
  matchers: readonly MatcherItem[],
  nowMs: number,
): SilencePreview {
  const now = alerts.filter((alert) => alert.state !== 'resolved' && matches(alert.labels, matchers))
  const past = runs.filter((run) => run.firedAtMs > nowMs - 7 * DAY_MS && matches(run.labels, matchers))
  const names = [...new Set(past.map(({ alertname }) => alertname))]
  return {
    asOfMs: nowMs,
    now: now.slice(0, 100).map(({ fingerprint, alertname, cluster, severity, state }) => ({
      fingerprint,
      alertname,
      cluster,
      severity,
      state,
    })),
    nowCount: now.length,
    past: names.map((alertname) => {
      const same = past.filter((run) => run.alertname === alertname)
      return {
        alertname,
        runs: same.length,
        clusters: new Set(same.map(({ cluster }) => cluster)).size,
        lastFiredAtMs: Math.max(...same.map(({ firedAtMs }) => firedAtMs)),
      }
    }),
    pastRuns: past.length,
    pastFromMs: nowMs - 7 * DAY_MS,
  }
}

export function delivery(id: number, nowMs: number, part: Partial<DeliveryItem>): DeliveryItem {
  return {
    id,
    atMs: nowMs - id * 7 * MINUTE_MS,
    receiver: 'on-call',
    integration: 'pagerduty',
    target: 'https://events.pagerduty.example/v2/enqueue',
    groupKey: '{}/{severity="critical"}:{alertname="KubeVirtCRModified"}',
    alerts: 2,
    alertnames: ['KubeVirtCRModified'],
    fingerprints: ['0000000000000001'],
    reason: 'first',
    outcome: 'delivered',
    attempt: 1,
    status: 202,
    latencyMs: 143,
    ...part,
  }
}

export function deliveries(nowMs: number): DeliveryItem[] {
  return [
    delivery(1, nowMs, {}),
    delivery(2, nowMs, {
      receiver: 'team-chat',
      integration: 'slack',
      target: 'https://hooks.slack.example/services/…',
      outcome: 'failed',
      attempt: 3,
      status: 503,
      latencyMs: 10_000,
      error: 'the receiver answered 503',
      retryAtMs: nowMs + MINUTE_MS,
      reason: 'new_alerts',
      alertnames: ['HCOOperatorConditionsUnhealthy', 'KubeVirtCRModified'],
    }),
    delivery(3, nowMs, {
      receiver: 'mail',
      integration: 'email',
      target: 'virt@example.org',
      outcome: 'refused',
      status: 550,
      error: 'no such mailbox',
      reason: 'repeat_due',
    }),
    ...Array.from({ length: 30 }, (_, i) => delivery(i + 4, nowMs, { latencyMs: 80 + i * 3, reason: 'resolved' })),
  ]
}

export function pageOfDeliveries(all: readonly DeliveryItem[], search: URLSearchParams): DeliveryItems {
  const from = Number(search.get('cursor') ?? 0)
  const limit = Number(search.get('limit') ?? 50)
  const found = all.filter(
    (one) =>
      (!search.has('receiver') || one.receiver === search.get('receiver')) &&
      (!search.has('outcome') || one.outcome === search.get('outcome')) &&
      (!search.has('fingerprint') || one.fingerprints.includes(search.get('fingerprint')!)),
  )
  return {
    deliveries: found.slice(from, from + limit),
    ...(from + limit < found.length ? { nextCursor: String(from + limit) } : {}),
  }
}

export function receivers(nowMs: number): ReceiverItems {
  return {
    configFile: 'alertmanager.yaml',
    receivers: [
      {
        name: 'on-call',
        integrations: [
          {
            integration: 'pagerduty',
            target: 'https://events.pagerduty.example/v2/enqueue',
            waiting: 0,
            failuresInARow: 0,
            lastDeliveredAtMs: nowMs - 7 * MINUTE_MS,
          },
        ],
      },
      {
        name: 'team-chat',
        integrations: [
          {
            integration: 'slack',
            target: 'https://hooks.slack.example/services/…',
            waiting: 4,
            failuresInARow: 12,
            lastDeliveredAtMs: nowMs - 3 * HOUR_MS,
            lastError: 'the receiver answered 503',
          },
        ],
      },
      {
        name: 'mail',
        integrations: [{ integration: 'email', target: 'virt@example.org', waiting: 0, failuresInARow: 0 }],
      },
      { name: 'blackhole', integrations: [] },
    ],
  }
}

const route = (part: Partial<RouteItem>): RouteItem => ({
  receiver: 'team-chat',
  matchers: [],
  groupBy: ['alertname'],
  groupWaitMs: 30_000,
  groupIntervalMs: 5 * MINUTE_MS,
  repeatIntervalMs: 4 * HOUR_MS,
  muteTimeIntervals: [],
  activeTimeIntervals: [],
  continues: false,
  routes: [],
  ...part,
})

export const ROUTING: RouteItem = route({
  routes: [
    route({
      receiver: 'on-call',
      matchers: ['severity="critical"'],
      continues: true,
      routes: [route({ receiver: 'blackhole', matchers: ['cluster=~".*-lab-.*"'] })],
    }),
    route({ receiver: 'mail', matchers: ['severity="info"'], muteTimeIntervals: ['weekend'] }),
  ],
})

export function ruleGroups(items: AlertItems): PrometheusRuleGroup[] {
  const byName = new Map<string, AlertItem[]>()
  for (const alert of items.alerts) byName.set(alert.alertname, [...(byName.get(alert.alertname) ?? []), alert])
  const lastEvaluation = new Date(items.asOfMs - 12_000).toISOString()
  return [
    {
      name: 'hco',
      file: 'alert-rules/hco.yaml',
      interval: 30,
      limit: 0,
      evaluationTime: 0.004,
      lastEvaluation,
      rules: [
        ...[...byName].map(([name, alerts]) => ({
          type: 'alerting' as const,
          name,
          query: alerts[0]!.rule.expr,
          labels: { severity: alerts[0]!.severity, operator_health_impact: alerts[0]!.healthImpact },
          health: 'ok' as const,
          evaluationTime: 0.0012,
          lastEvaluation,
          state: alerts.some(({ state }) => state === 'firing') ? ('firing' as const) : ('pending' as const),
          duration: alerts[0]!.rule.forMs / 1000,
          keepFiringFor: 0,
          annotations: {
            summary: `{{ $labels.cluster }}: ${name}`,
            runbook_url: `https://daytwo.example.org/rb/${name}`,
          },
          alerts: alerts
            .filter(({ state }) => state !== 'resolved')
            .map(({ labels, annotations, state, activeAtMs, value }) => ({
              labels,
              annotations,
              state: state as 'firing',
              activeAt: new Date(activeAtMs).toISOString(),
              value: String(value),
            })),
        })),
        {
          type: 'alerting',
          name: 'VirtAPIDown',
          query: 'kubevirt_virt_api_up == 0',
          labels: { severity: 'critical', operator_health_impact: 'critical' },
          health: 'ok',
          evaluationTime: 0.0004,
          lastEvaluation,
          state: 'inactive',
          duration: 300,
          keepFiringFor: 0,
          annotations: { summary: 'No virt-api answers.' },
          alerts: [],
        },
        {
          type: 'alerting',
          name: 'LowKVMNodesCount',
          query: 'kubevirt_allocatable_nodes > 1 and kubevirt_nodes_with_kvm < 2',
          labels: { severity: 'warning' },
          health: 'err',
          lastError:
            'found duplicate series for the match group {cluster="prague-prod-1"}: many-to-many matching not allowed',
          evaluationTime: 0.0004,
          lastEvaluation,
          state: 'inactive',
          duration: 300,
          keepFiringFor: 0,
          annotations: { summary: 'Too few nodes.' },
          alerts: [],
        },
        {
          type: 'recording',
          name: 'cluster:kubevirt_hco_modifications:increase10m',
          query: 'sum by (cluster) (increase(kubevirt_hco_out_of_band_modifications_total[10m]))',
          labels: {},
          health: 'ok',
          evaluationTime: 0.0021,
          lastEvaluation,
        },
      ],
    },
  ]
}

export const RULE_TESTS: RuleTests = {
  tests: [
    {
      file: 'alert-rules/tests/hco.yaml',
      name: 'the first increment fires',
      passed: true,
      cases: [
        { evalTime: '5m', alerts: 0 },
        { evalTime: '10m', alerts: 1 },
      ],
      failures: [],
    },
    {
      file: 'alert-rules/tests/hco.yaml',
      name: 'a counter reset does not fire',
      passed: false,
      cases: [{ evalTime: '10m', alerts: 0 }],
      failures: ['at 10m: got 1 alert, want 0'],
    },
  ],
}

const outcome = (nowMs: number, expr: string, fires: number): ReplayOutcome => ({
  expr,
  forMs: 0,
  keepFiringForMs: 0,
  fires,
  flaps: Math.floor(fires / 6),
  neverFired: 3,
  clusters: Math.min(fires, 9),
  pagesPerWeek: fires / 4,
  firingSeconds: fires * 840,
  mostAtOnce: 4,
  runs: Array.from({ length: Math.min(fires, 20) }, (_, i) => ({
    labels: { alertname: 'KubeVirtCRModified', cluster: clusterName(i % 9) },
    activeAtMs: nowMs - i * 5 * HOUR_MS - HOUR_MS,
    firedAtMs: nowMs - i * 5 * HOUR_MS - HOUR_MS,
    ...(i === 0 ? {} : { resolvedAtMs: nowMs - i * 5 * HOUR_MS }),
    value: '3',
  })),
  firingByBlock: Array.from({ length: 84 }, (_, i) => Math.max(0, Math.round(4 * Math.sin(i / 5) * (fires / 24)))),
})

export function replay(nowMs: number, windowMs: number, hasEdited: boolean): Replay {
  return {
    fromMs: nowMs - windowMs,
    toMs: nowMs,
    stepMs: 30_000,
    blockMs: windowMs / 84,
    present: outcome(nowMs, 'sum by (cluster) (increase(x[10m])) > 0', 24),
    ...(hasEdited
      ? { edited: outcome(nowMs, 'sum by (cluster) (increase(x[10m])) > 2', 7), difference: replayDifference(nowMs) }
      : {}),
  }
}

function replayDifference(nowMs: number): ReplayDifference {
  const item = (cluster: string, hoursAgo: number) => ({
    labels: { cluster },
    fromMs: nowMs - hoursAgo * HOUR_MS,
    untilMs: nowMs - (hoursAgo - 1) * HOUR_MS,
  })
  return {
    onlyPresent: { periods: 2, clusters: 2, seconds: 7200, items: [item(clusterName(1), 5), item(clusterName(2), 9)] },
    onlyEdited: { periods: 0, clusters: 0, seconds: 0, items: [] },
    ...{ bothSeconds: 18_000, comparedBy: ['cluster'], cut: false },
  }
}

export function lintReport(nowMs: number): LintReport {
  return {
    asOfMs: nowMs,
    counted: { alerts: 88, runbooks: 87, dashboards: 6 },
    checks: [
      {
        name: 'runbook-missing',
        title: 'Every alert has a runbook',
        description: 'Whoever is woken up needs a page of the **same name**. Write `runbooks/<AlertName>.md`.',
        severity: 'error',
        findings: 1,
      },
      {
        name: 'metric-unknown',
        title: 'Metrics exist',
        description: 'A rule over a metric that nobody sends never fires.',
        severity: 'warning',
        findings: 2,
      },
      {
        name: 'severity-wording',
        title: 'Severity and text agree',
        description: 'A page that says “critical” about a warning is not believed twice.',
        severity: 'info',
        findings: 0,
      },
    ],
    findings: [
      {
        check: 'metric-unknown',
        severity: 'warning',
        file: 'alert-rules/hco.yaml',
        line: 41,
        column: 15,
        message: 'kubevirt_hco_out_of_band_modification_total is not a known metric',
        hint: 'kubevirt_hco_out_of_band_modifications_total is',
        subject: 'KubeVirtCRModified',
      },
      {
        check: 'runbook-missing',
        severity: 'error',
        file: 'alert-rules/kubevirt.yaml',
        line: 12,
        column: 9,
        message: 'VirtAPIDown has no runbook',
        hint: 'write runbooks/VirtAPIDown.md',
        subject: 'VirtAPIDown',
      },
      {
        check: 'metric-unknown',
        severity: 'warning',
        file: 'dashboards/virt.yaml',
        line: 99,
        column: 3,
        message: 'kubevirt_vmi_phase is not a known metric',
      },
    ],
  }
}
