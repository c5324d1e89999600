/**
 * Changes of a cluster in the hour before an alert: versions, the labels of information series, and out-of-band
 * modifications. Read from stored series, minute by minute. `unknown` lists what no series reports: an empty list of changes
 * is then no proof.
 */
import { clusterMatcher, HCO_CSV, type FleetReader, type FleetSeries } from '../fleet-reader.ts'

export interface ClusterChange {
  readonly atMs: number
  readonly resolutionMs: number
  readonly kind: 'version' | 'label' | 'modification'
  readonly text: string
  readonly series: string
  readonly from: string
  readonly to: string
}

export interface ClusterChanges {
  /** Newest first. */
  readonly changes: readonly ClusterChange[]
  /** What could not be checked, as sentences. */
  readonly unknown: readonly string[]
}

export const CHANGES_WINDOW_MS = 60 * 60_000
const STEP_MS = 60_000

/** A query about one cluster: the current values of the label, or (modifications) a counter by the label. */
interface ChangeQuery {
  readonly kind: ClusterChange['kind']
  readonly label: string
  /** The subject, for people. */
  readonly subject: string
  readonly expr: (only: string) => string
}

const QUERIES: readonly ChangeQuery[] = [
  {
    kind: 'version',
    label: 'version',
    subject: 'the HCO operator',
    expr: (only) => `max by (version) (csv_succeeded{${HCO_CSV}, ${only}} == 1)`,
  },
  {
    kind: 'version',
    label: 'kubeversion',
    subject: 'KubeVirt on the nodes',
    expr: (only) => `count by (kubeversion) (kubevirt_info{${only}})`,
  },
  {
    kind: 'version',
    label: 'version',
    subject: 'the platform',
    expr: (only) => `count by (version) (cluster_version{type="current", ${only}})`,
  },
  {
    kind: 'label',
    label: 'channel',
    subject: 'the channel of the subscription',
    expr: (only) =>
      `count by (channel) (subscription_sync_total{package=~"(community-)?kubevirt-hyperconverged", ${only}})`,
  },
  {
    kind: 'modification',
    label: 'component_name',
    subject: 'modified out of band and reverted',
    expr: (only) => `max by (component_name) (kubevirt_hco_out_of_band_modifications_total{${only}})`,
  },
  {
    kind: 'modification',
    label: 'annotation_name',
    subject: 'patched by a jsonpatch annotation',
    expr: (only) => `max by (annotation_name) (kubevirt_hco_unsafe_modifications{${only}})`,
  },
]

/** @param untilMs when the alert started, inclusive */
export async function readChanges(reader: FleetReader, cluster: string, untilMs: number): Promise<ClusterChanges> {
  if (cluster === '') return { changes: [], unknown: ['The alert names no cluster, so no series belong to it.'] }
  const only = clusterMatcher([cluster])
  const fromMs = untilMs - CHANGES_WINDOW_MS
  const answers = await Promise.all(
    QUERIES.map(async (query) => {
      const expr = query.expr(only)
      return { query, expr, series: await reader.range(expr, fromMs, untilMs, STEP_MS) }
    }),
  )
  const unknown = answers.flatMap(({ query, series }) =>
    // Without modifications there is no counter, so a missing counter is not unknown.
    series.length > 0 || query.kind === 'modification'
      ? []
      : [`No series reports the running version: ${query.subject}.`],
  )
  const changes = answers.flatMap(({ query, expr, series }) =>
    query.kind === 'modification' ? countChanges(query, expr, series, fromMs) : stateChanges(query, expr, series),
  )
  return { changes: changes.sort((a, b) => b.atMs - a.atMs), unknown }
}

/** One change for each minute with other values than the previous minute with samples. */
function stateChanges(
  { kind, label, subject }: ChangeQuery,
  expr: string,
  series: readonly FleetSeries[],
): ClusterChange[] {
  const byTime = new Map<number, string[]>()
  for (const { labels, timesMs } of series) {
    for (let i = 0; i < timesMs.length; i++) {
      const values = byTime.get(timesMs[i]!) ?? []
      values.push(labels.get(label))
      byTime.set(timesMs[i]!, values)
    }
  }
  const changes: ClusterChange[] = []
  let before: { readonly state: string; readonly atMs: number } | undefined
  for (const [atMs, values] of [...byTime].sort(([a], [b]) => a - b)) {
    const state = values.sort().join(' and ')
    if (before !== undefined && before.state !== state) {
      const [from, to] = [before.state, state]
      const text = `${subject}: ${from} → ${to}`
      changes.push({ atMs, resolutionMs: atMs - before.atMs, kind, text, series: expr, from, to })
    }
    before = { state, atMs }
  }
  return changes
}

/** One change for each minute in which a counter increased. A new series starts with its first count (facts 11.5). */
function countChanges(
  { kind, label, subject }: ChangeQuery,
  expr: string,
  series: readonly FleetSeries[],
  fromMs: number,
): ClusterChange[] {
  return series.flatMap(({ labels, timesMs, values }) => {
    const changes: ClusterChange[] = []
    // The count of a series at the start of the window is older than the window.
    let before = timesMs.length > 0 && timesMs[0]! <= fromMs + STEP_MS ? values[0]! : 0
    let beforeMs = timesMs[0] ?? fromMs
    for (let i = 0; i < timesMs.length; i++) {
      const [atMs, value] = [timesMs[i]!, values[i]!]
      if (value > before) {
        const [from, to] = [String(before), String(value)]
        const text = `${labels.get(label)}: ${subject} (${from} → ${to})`
        changes.push({ atMs, resolutionMs: Math.max(STEP_MS, atMs - beforeMs), kind, text, series: expr, from, to })
      }
      before = value
      beforeMs = atMs
    }
    return changes
  })
}
