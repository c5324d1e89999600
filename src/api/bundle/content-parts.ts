/** The alerts of a window with their rules and runbooks. */
import { createHash } from 'node:crypto'
import { bindRunbook } from '../../catalog/bind-runbook.ts'
import { resolveRunbook } from '../../catalog/resolve-runbook.ts'
import type { BundleAlert, BundleCut, BundleRule, BundleRunbook, BundleSubject } from '../../bundle/content.ts'
import { cutOf } from '../../bundle/limits.ts'
import type { StoredAlertRun } from '../../model/alert-run.ts'
import type { Alert } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { RuleStatus } from '../../rules/rule-status.ts'
import { pick } from '../fleet/query.ts'
import type { SubjectDeps, SubjectPorts } from './subject-ports.ts'

const ALERTS_MAX = 500
/** Names of alerts whose rules and runbooks are included. */
const NAMES_MAX = 20
/** Alerts that fired before the window and were not resolved by then. */
const FIRED_BEFORE_MS = 30 * 24 * 3_600_000

export type AlertParts = Pick<BundleSubject, 'alerts' | 'rules' | 'runbooks' | 'cuts'>

/** @param first the alert that a bundle is about: its rule and runbook come first */
export async function alertParts(
  ports: SubjectPorts,
  deps: SubjectDeps,
  {
    clusters,
    window,
    first,
  }: { readonly clusters: readonly string[]; readonly window: TimeRange; readonly first?: Alert | StoredAlertRun },
): Promise<AlertParts> {
  const found = await alertsIn(ports, clusters, window)
  const shown = found.slice(0, ALERTS_MAX)
  const byName = new Map<string, Alert | StoredAlertRun>()
  for (const alert of [...(first === undefined ? [] : [first]), ...shown]) {
    const name = alert.labels.get('alertname')
    if (!byName.has(name)) byName.set(name, alert)
  }
  const named = [...byName].slice(0, NAMES_MAX)
  const cuts: readonly BundleCut[] = [
    ...cutOf('alerts', shown.length, found.length, found.length > ALERTS_MAX),
    ...cutOf('names of alerts with rule and runbook', named.length, byName.size),
  ]
  const runbooks = await Promise.all(named.map(([name, alert]) => runbookOf(ports, deps, name, alert)))
  return {
    alerts: shown.map(bundleAlert),
    rules: await rulesOf(
      ports,
      named.map(([name]) => name),
    ),
    runbooks: runbooks.flatMap((one) => one ?? []),
    cuts,
  }
}

async function alertsIn(
  { people }: SubjectPorts,
  clusters: readonly string[],
  { fromMs, toMs }: TimeRange,
): Promise<readonly StoredAlertRun[]> {
  const query = { fromMs: fromMs - FIRED_BEFORE_MS, toMs: toMs + 1, limit: ALERTS_MAX + 1 }
  const pages = await Promise.all(clusters.map((cluster) => people.runs.page({ ...query, cluster })))
  return pages
    .flat()
    .filter(({ resolvedAtMs = Infinity }) => resolvedAtMs >= fromMs)
    .sort((a, b) => a.firedAtMs - b.firedAtMs || (a.fingerprint < b.fingerprint ? -1 : 1))
}

export function bundleAlert(alert: Alert | StoredAlertRun): BundleAlert {
  const { fingerprint, labels, annotations, activeAtMs } = alert
  return {
    ...{ fingerprint, alertname: labels.get('alertname'), activeAtMs },
    labels: new Map(labels.pairs()),
    annotations: new Map(Object.entries(annotations)),
    ...pick(alert, 'firedAtMs', 'resolvedAtMs'),
    ...('acknowledgedBy' in alert ? pick(alert, 'acknowledgedBy', 'acknowledgedNote') : {}),
  }
}

async function rulesOf({ rules }: SubjectPorts, names: readonly string[]): Promise<readonly BundleRule[]> {
  const groups = await rules.groups()
  return names.flatMap((name) =>
    groups.flatMap(({ name: group, file, rules: all }) =>
      all.flatMap((rule) => (rule.kind === 'alerting' && rule.name === name ? [ruleOf(rule, group, file)] : [])),
    ),
  )
}

type AlertingStatus = Extract<RuleStatus, { readonly kind: 'alerting' }>

function ruleOf(rule: AlertingStatus, group: string, file: string): BundleRule {
  const { name, query: expr, forMs, keepFiringForMs, labels, annotations } = rule
  const [sortedLabels, sortedAnnotations] = [labels, annotations].map((texts) => Object.entries(texts).sort()) as [
    [string, string][],
    [string, string][],
  ]
  return {
    // The folder is of the server.
    ...{ name, group, file: file.split('/').at(-1)!, expr, forMs, keepFiringForMs },
    labels: new Map(sortedLabels),
    annotations: new Map(sortedAnnotations),
    revision: revisionOf(JSON.stringify([name, expr, forMs, keepFiringForMs, sortedLabels, sortedAnnotations])),
  }
}

async function runbookOf(
  { inventory }: SubjectPorts,
  { catalog, nowMs }: SubjectDeps,
  name: string,
  alert: Alert | StoredAlertRun,
): Promise<BundleRunbook | undefined> {
  const found = resolveRunbook(catalog, name)
  if (!('page' in found)) return undefined
  const { page } = found
  // The page is useful without the values of the cluster.
  const known = await inventory(clusterOf(alert.labels), nowMs).catch(() => undefined)
  const { bindings } = bindRunbook(page, { alert, inventory: known })
  return {
    name: page.name,
    // Values are beside the text: in a text they are quoted for their place, and would not be recognised for redaction.
    markdown: bindRunbook(page, { isPlain: true }).markdown,
    values: bindings.map((binding) => ({ name: binding.name, value: binding.value })),
    revision: revisionOf(page.text),
  }
}

function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
