import type { FastifyInstance } from 'fastify'
import { FleetError, messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { rankInstances } from '../../catalog/rank-instances.ts'
import { resolveRunbook } from '../../catalog/resolve-runbook.ts'
import { AlertDetail, type AlertChange } from '../../contract/alerts.ts'
import type { DeliveryItem } from '../../contract/deliveries.ts'
import { CHANGES_WINDOW_MS, type ClusterChanges } from '../../fleet/alerts/alert-changes.ts'
import type { SharedTraits } from '../../fleet/clusters/shared-traits.ts'
import type { AlertRunReader } from '../../model/alert-run.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import { isExternal } from '../../notify/external-alert.ts'
import type { ComparisonOp } from '../../promql/ast.ts'
import { thresholdOf } from '../../promql/threshold.ts'
import { alertItems } from './alert-item.ts'
import { marksReader } from './alert-marks.ts'
import { FINGERPRINT, type AlertDeps } from './alerts.ts'
import { ownRoute } from '../server/own-route.ts'
import { formatValue, sampleValue } from '../prometheus/format-value.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import type { PipelineView } from '../../notify/pipeline.ts'
import type { ApiPeople } from './people.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `GET /api/fleet/v1/alerts/{fingerprint}`: one alert with its context. */
interface AlertDetailDeps extends Omit<AlertDeps, 'ports'> {
  readonly ports: PortsOf<AlertPorts>
  readonly log: Log
}

interface AlertPorts {
  readonly people: ApiPeople
  readonly pipeline?: PipelineView
  readonly context: AlertContext
}

/** What happened around an alert, from the fleet's series. */
export interface AlertContext {
  changes(cluster: string, untilMs: number): Promise<ClusterChanges>
  shared(clusters: ReadonlySet<string>, nowMs: number): Promise<SharedTraits>
  /** The last notifications about it, newest first. */
  deliveries(fingerprint: string, limit: number): Promise<readonly DeliveryItem[]>
}

const CHANGES_MAX = 50
const ELSEWHERE_MAX = 200
const DELIVERIES_MAX = 20

export function registerAlertDetail(app: FastifyInstance, deps: AlertDetailDeps): void {
  ownRoute(app, 'GET /api/fleet/v1/alerts/:fingerprint', {
    summary: 'One alert with its situation: threshold, preceding changes, other clusters.',
    path: FINGERPRINT,
    answer: AlertDetail,
    handler: ({ params: { fingerprint }, request }) => {
      const ports = deps.ports(request)
      const alerts = ports.people.alerts()
      const [alert] = rankInstances(alerts.filter((each) => each.fingerprint === fingerprint))
      if (alert === undefined) {
        throw new FleetError('not_found', `no alert has the fingerprint ${fingerprint}`, {
          hint: 'resolved occurrences are in /api/fleet/v1/alerts/history',
        })
      }
      return detailOf(deps, ports, alert, alerts)
    },
  })
}

async function detailOf(
  deps: AlertDetailDeps,
  { people, context, pipeline }: AlertPorts,
  alert: AnyAlert,
  alerts: readonly AnyAlert[],
): Promise<AlertDetail> {
  const { clock, log } = deps
  const nowMs = clock.nowMs()
  const cluster = clusterOf(alert.labels)
  const same = rankInstances(alerts.filter((other) => other.state !== 'resolved' && isSameName(deps, alert, other)))
  const clusters = new Set([cluster, ...same.map(({ labels }) => clusterOf(labels))].filter((each) => each !== ''))
  const unknown: string[] = []
  // A failed read leaves a gap and a sentence in the response; the alert is still shown.
  const attempt = async <T>(what: string, read: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await read()
    } catch (thrown) {
      log.warn(
        { fingerprint: alert.fingerprint, error: messageOf(thrown) },
        'part of the situation of an alert is unavailable',
      )
      unknown.push(`${what} could not be read: ${messageOf(thrown)}.`)
      return otherwise
    }
  }
  const [changes, others, traits, deliveries] = await Promise.all([
    attempt('What changed', () => context.changes(cluster, alert.activeAtMs), { changes: [], unknown: [] }),
    attempt('Other alerts', () => earlierAlerts(people.runs, alerts, alert), []),
    attempt('What clusters share', () => context.shared(clusters, nowMs), { clusters: 0, shared: [] }),
    attempt('Deliveries', () => context.deliveries(alert.fingerprint, DELIVERIES_MAX), []),
  ])
  const comparison = comparisonOf(alert)
  return {
    asOfMs: nowMs,
    alert: alertItems(deps.catalog, marksReader(people, pipeline, nowMs))(alert),
    ...(comparison === undefined ? {} : { comparison }),
    changes: [...changes.changes, ...others].sort((a, b) => b.atMs - a.atMs).slice(0, CHANGES_MAX),
    changesFromMs: alert.activeAtMs - CHANGES_WINDOW_MS,
    changesToMs: alert.activeAtMs,
    unknown: [...changes.unknown, ...unknown],
    elsewhere: {
      alerts: same
        .filter(({ labels }) => clusterOf(labels) !== cluster)
        .sort((a, b) => b.activeAtMs - a.activeAtMs)
        .slice(0, ELSEWHERE_MAX)
        .map(({ fingerprint, labels, state, activeAtMs, value }) => {
          return { fingerprint, cluster: clusterOf(labels), state, activeAtMs, value: sampleValue(value) }
        }),
      clusters: clusters.size,
      clustersOf: Math.max(traits.clusters, clusters.size),
      shared: traits.shared,
    },
    deliveries,
    reportedAlsoBy: reportedAlsoBy(people.duplicates(), alert, alerts),
  }
}

/** Former names of an alert count as the same name: both names have the same runbook. */
function isSameName({ catalog }: AlertDetailDeps, a: AnyAlert, b: AnyAlert): boolean {
  const [own, other] = [a.labels.get('alertname'), b.labels.get('alertname')]
  if (own === other) return true
  if (!catalog.aliases.has(own) && !catalog.aliases.has(other)) return false
  const [page, otherPage] = [resolveRunbook(catalog, own), resolveRunbook(catalog, other)]
  return 'page' in page && 'page' in otherPage && page.page.name === otherPage.page.name
}

const WORDS: Readonly<Record<ComparisonOp, string>> = {
  '>': 'above',
  '>=': 'at or above',
  '<': 'below',
  '<=': 'at or below',
  '==': 'equal to',
  '!=': 'not equal to',
}

/** The value is from the last evaluation in which the condition held. */
function comparisonOf(alert: AnyAlert): AlertDetail['comparison'] {
  if (isExternal(alert)) return undefined
  const found = thresholdOf(alert.rule.expr, alert.value)
  if (found === undefined) return undefined
  const { expr, operator, threshold } = found
  const text = `${formatValue(alert.value)} is ${WORDS[operator]} the threshold ${formatValue(threshold)}`
  return { value: sampleValue(alert.value), operator, threshold: sampleValue(threshold), expr, text }
}

/** Alerts of the cluster that started in the hour before: active and resolved ones. */
async function earlierAlerts(
  runs: AlertRunReader,
  alerts: readonly AnyAlert[],
  alert: AnyAlert,
): Promise<readonly AlertChange[]> {
  const cluster = clusterOf(alert.labels)
  const [fromMs, toMs] = [alert.activeAtMs - CHANGES_WINDOW_MS, alert.activeAtMs]
  if (cluster === '') return []
  const past = await runs.page({ fromMs, toMs: toMs + CHANGES_WINDOW_MS, cluster, limit: CHANGES_MAX * 4 })
  const started = new Map<string, AlertChange>()
  const present = alerts.filter(({ labels }) => clusterOf(labels) === cluster)
  for (const { fingerprint, labels, activeAtMs } of [...present, ...past]) {
    if (fingerprint === alert.fingerprint || activeAtMs < fromMs || activeAtMs > toMs) continue
    const alertname = labels.get('alertname')
    started.set(`${fingerprint} ${activeAtMs}`, {
      atMs: activeAtMs,
      resolutionMs: 0,
      kind: 'alert',
      text: `${alertname} started`,
      fingerprint,
    })
  }
  return [...started.values()]
}

function reportedAlsoBy(
  repeats: ReadonlyMap<string, string>,
  alert: AnyAlert,
  alerts: readonly AnyAlert[],
): AlertDetail['reportedAlsoBy'] {
  const first = repeats.get(alert.fingerprint)
  const related = new Set([...repeats].flatMap(([second, of]) => (of === alert.fingerprint ? [second] : [])))
  if (first !== undefined) related.add(first)
  return alerts
    .filter(({ fingerprint }) => related.has(fingerprint))
    .map((other) => ({ fingerprint: other.fingerprint, source: isExternal(other) ? 'external' : 'rule' }))
}
