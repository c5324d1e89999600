import { opaque, type BundleFact, type BundlePhase, type BundleSubject } from '../../bundle/content.ts'
import { FleetError } from '../../base/errors.ts'
import { rankInstances } from '../../catalog/rank-instances.ts'
import type { FleetView } from '../../fleet/fleet-view.ts'
import { upgradeTraceId } from '../../fleet/trace/trace-ids.ts'
import type { StoredAlertRun } from '../../model/alert-run.ts'
import { severityOf } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import { timeOf } from '../fleet/items.ts'
import { sampleValue } from '../prometheus/format-value.ts'
import { alertParts, bundleAlert } from './content-parts.ts'
import { panelQueries, ruleQueries } from './panel-queries.ts'
import { clusterNames, MARGIN_MS, type SubjectDeps, type SubjectPorts } from './subject-ports.ts'

/** What happened before an alert is more than what followed. */
const BEFORE_MS = 60 * 60_000
const OCCURRENCES_MAX = 200
const DELIVERIES_MAX = 100
const TRACES_MAX = 3

/**
 * One occurrence of an alert: the one that started at `activeAtMs`; without it the present or else the last one.
 * Rejects with `not_found`.
 */
export async function alertSubject(
  ports: SubjectPorts,
  deps: SubjectDeps,
  fingerprint: string,
  activeAtMs?: number,
): Promise<BundleSubject> {
  const { nowMs, externalUrl, catalog, language } = deps
  const { alert, runs } = await occurrenceOf(ports, fingerprint, activeAtMs, nowMs)
  const name = alert.labels.get('alertname')
  const cluster = clusterOf(alert.labels)
  const view = ports.fleet({ nowMs })
  const clusters = await clusterNames(view, cluster)
  const window: TimeRange = {
    fromMs: alert.activeAtMs - BEFORE_MS,
    toMs: Math.min(nowMs, (alert.resolvedAtMs ?? nowMs) + MARGIN_MS),
  }
  const [parts, deliveries, traceIds] = await Promise.all([
    alertParts(ports, deps, { clusters, window, first: alert }),
    ports.context.deliveries(fingerprint, DELIVERIES_MAX),
    tracesIn(view, clusters, window),
  ])
  const expr = 'rule' in alert ? alert.rule.expr : parts.rules.find((rule) => rule.name === name)?.expr
  const { alerts } = parts
  const isListed = alerts.some((one) => one.fingerprint === fingerprint && one.activeAtMs === alert.activeAtMs)
  const at = `/api/fleet/v1/alerts/${fingerprint}`
  return {
    kind: 'alert',
    id: fingerprint,
    title: `Alert ${name}${cluster === '' ? '' : ` on ${cluster}`}`,
    ...{ clusters, window, asOfMs: window.toMs },
    record: opaque({
      alert: { ...bundleAlert(alert), ...('value' in alert ? { value: sampleValue(alert.value) } : {}) },
      occurrences: runs.map(({ activeAtMs: startedMs, firedAtMs, resolvedAtMs }) => {
        return { activeAt: timeOf(startedMs), firedAt: timeOf(firedAtMs), resolvedAt: timeOf(resolvedAtMs) }
      }),
      // Without the other alerts of a message, which may be of other clusters.
      notifications: deliveries
        .filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs)
        .map(({ atMs, receiver, integration, outcome, reason }) => {
          return { at: timeOf(atMs), receiver, integration, outcome, reason }
        }),
    }),
    facts: factsOf(alert, runs.length),
    phases: phasesOf(alert),
    queries: [
      ...(expr === undefined || expr === '' ? [] : ruleQueries(name, expr, clusters, language)),
      ...panelQueries(catalog, clusters, window, language),
    ],
    traceIds,
    ...parts,
    alerts: isListed ? alerts : [bundleAlert(alert), ...alerts],
    requests: [
      { title: 'Page of the alert', url: `${externalUrl}/alerts/${fingerprint}` },
      { title: 'Alert', url: `${externalUrl}${at}` },
      { title: 'Occurrences', url: `${externalUrl}/api/fleet/v1/alerts/history?fingerprint=${fingerprint}` },
      ...requestsOf(externalUrl, cluster, window),
    ],
  }
}

type Occurrence = AnyAlert | StoredAlertRun

async function occurrenceOf(
  { people }: SubjectPorts,
  fingerprint: string,
  activeAtMs: number | undefined,
  nowMs: number,
): Promise<{ readonly alert: Occurrence; readonly runs: readonly StoredAlertRun[] }> {
  const runs = await people.runs.page({ fromMs: 0, toMs: nowMs + 1, fingerprint, limit: OCCURRENCES_MAX })
  const present = rankInstances(people.alerts().filter((one) => one.fingerprint === fingerprint))
  const all: readonly Occurrence[] = [...present, ...runs]
  const alert = activeAtMs === undefined ? all[0] : all.find((one) => one.activeAtMs === activeAtMs)
  if (alert !== undefined) return { alert, runs }
  const when = activeAtMs === undefined ? '' : ` and an occurrence that started at ${timeOf(activeAtMs)}`
  throw new FleetError('not_found', `no alert has the fingerprint ${fingerprint}${when}`, {
    hint: 'occurrences are in /api/fleet/v1/alerts/history',
  })
}

/** Of upgrades of the cluster in the window. */
async function tracesIn(view: FleetView, clusters: readonly string[], window: TimeRange): Promise<readonly string[]> {
  const [cluster] = clusters
  if (cluster === undefined) return []
  const found = await view.upgrades({ cluster, toMs: window.toMs, sort: 'started', isDescending: true, limit: 20 })
  return found
    .filter(({ upgrade: { startedMs, endedMs = Infinity } }) => startedMs !== undefined && endedMs >= window.fromMs)
    .slice(0, TRACES_MAX)
    .map(upgradeTraceId)
}

function phasesOf({ activeAtMs, firedAtMs, resolvedAtMs }: Occurrence): readonly BundlePhase[] {
  const firing = { name: 'firing', fromMs: firedAtMs ?? activeAtMs }
  const pendingEnd = firedAtMs ?? resolvedAtMs
  return [
    {
      ...{ name: 'pending', state: pendingEnd === undefined ? 'in_progress' : 'succeeded', fromMs: activeAtMs },
      ...(pendingEnd === undefined ? {} : { toMs: pendingEnd }),
    },
    ...(firedAtMs === undefined
      ? []
      : [
          resolvedAtMs === undefined
            ? { ...firing, state: 'in_progress' }
            : { ...firing, state: 'succeeded', toMs: resolvedAtMs },
        ]),
  ]
}

function factsOf(alert: Occurrence, occurrences: number): readonly BundleFact[] {
  const { fingerprint, labels, annotations, activeAtMs, firedAtMs, resolvedAtMs } = alert
  const texts = ['summary', 'description'].flatMap((name) => {
    const value = new Map(Object.entries(annotations)).get(name)
    return value === undefined ? [] : [{ name: name === 'summary' ? 'Summary' : 'Description', value }]
  })
  return [
    { name: 'Alert', value: labels.get('alertname') },
    { name: 'Cluster', value: clusterOf(labels) || 'none' },
    { name: 'Severity', value: severityOf(labels) },
    { name: 'Fingerprint', value: fingerprint },
    { name: 'Active since', value: timeOf(activeAtMs) },
    { name: 'Fired', value: timeOf(firedAtMs) ?? 'not fired' },
    { name: 'Resolved', value: timeOf(resolvedAtMs) ?? 'not resolved' },
    { name: 'Occurrences', value: String(occurrences) },
    ...('value' in alert ? [{ name: 'Value', value: String(sampleValue(alert.value)) }] : []),
    ...texts,
  ]
}

function requestsOf(externalUrl: string, cluster: string, { fromMs, toMs }: TimeRange): BundleSubject['requests'] {
  if (cluster === '') return []
  const name = encodeURIComponent(cluster)
  const range = `from=${timeOf(fromMs)}&to=${timeOf(toMs)}`
  return [
    { title: 'Objects', url: `${externalUrl}/api/fleet/v1/clusters/${name}/changes?${range}&states=true` },
    { title: 'Log records', url: `${externalUrl}/api/fleet/v1/logs?cluster=${name}&${range}` },
  ]
}
