import { clusterOf } from '../model/cluster-identity.ts'
import { REPLICA_LABELS, HCO_CSV } from './fleet-reader.ts'
import type { FleetReader, FleetSeries } from './fleet-reader.ts'
import { versionOfCsv } from './version-order.ts'

/**
 * What one cluster's metrics say about its versions at one moment. Upgrades are read from a row of these.
 *
 * Absence is not a fault: an old version, an allow-list or a stopped operator all look like a missing series.
 */
export interface Snapshot {
  /** HCO's ClusterServiceVersions, by version. During an upgrade the old and the new one are both there. */
  readonly csvs: ReadonlyMap<string, Csv>
  /** Nodes by the KubeVirt version their virt-handler runs. */
  readonly nodes: ReadonlyMap<string, number>
  /** HCO's own health: 0 healthy, 1 warning, 2 error; absent before HCO 1.9. */
  readonly health: number | undefined
}

export interface Csv {
  readonly isSucceeded: boolean | undefined
  /** OLM's phase and reason, said only while the phase is not Succeeded. */
  readonly phase: string | undefined
  readonly reason: string | undefined
}

const EMPTY_SNAPSHOT: Snapshot = { csvs: new Map(), nodes: new Map(), health: undefined }

/** Snapshots of one cluster, oldest first, at even steps. */
export interface History {
  readonly timesMs: readonly number[]
  readonly snapshots: readonly Snapshot[]
}

/** The four questions. `by` and `max` make one of HA replicas and of operator pods that overlap. */
function questions(matcher: string): Readonly<Record<keyof Answers, string>> {
  const also = matcher === '' ? '' : `, ${matcher}`
  return {
    succeeded: `max by (cluster, name, version) (csv_succeeded{${HCO_CSV}${also}})`,
    abnormal: `max by (cluster, name, version, phase, reason) (csv_abnormal{${HCO_CSV}${also}})`,
    // One series per node and replica; counted only after replicas have become one.
    nodes: `count by (cluster, kubeversion) (max without (${REPLICA_LABELS}) (kubevirt_info{${matcher}}))`,
    health: `max by (cluster) (kubevirt_hco_system_health_status{${matcher}})`,
  }
}

interface Answers {
  readonly succeeded: readonly FleetSeries[]
  readonly abnormal: readonly FleetSeries[]
  readonly nodes: readonly FleetSeries[]
  readonly health: readonly FleetSeries[]
}

/**
 * What clusters say at one moment, by cluster: all of them, or those `matcher` selects. Clusters that say nothing are
 * absent.
 */
export async function readSnapshots(
  reader: FleetReader,
  timeMs: number,
  matcher = '',
): Promise<ReadonlyMap<string, Snapshot>> {
  const asked = questions(matcher)
  const at = (expr: string): Promise<readonly FleetSeries[]> => instantColumns(reader, expr, timeMs)
  const [succeeded, abnormal, nodes, health] = await Promise.all([
    at(asked.succeeded),
    at(asked.abnormal),
    at(asked.nodes),
    at(asked.health),
  ])
  return firstOfEach(historiesOf({ succeeded, abnormal, nodes, health }, timeMs, timeMs, 1))
}

/** Only which CSVs have succeeded: one series per cluster where `readSnapshots` reads one per node. */
export async function readSucceeded(reader: FleetReader, timeMs: number): Promise<ReadonlyMap<string, Snapshot>> {
  const succeeded = await instantColumns(reader, questions('').succeeded, timeMs)
  return firstOfEach(historiesOf({ succeeded, abnormal: [], nodes: [], health: [] }, timeMs, timeMs, 1))
}

async function instantColumns(reader: FleetReader, expr: string, timeMs: number): Promise<readonly FleetSeries[]> {
  const samples = await reader.instant(expr, timeMs)
  return samples.map(({ labels, value }) => ({ labels, timesMs: [timeMs], values: [value] }))
}

function firstOfEach(histories: ReadonlyMap<string, History>): ReadonlyMap<string, Snapshot> {
  return new Map([...histories].map(([cluster, { snapshots }]) => [cluster, snapshots[0] ?? EMPTY_SNAPSHOT]))
}

/** Histories of some clusters on the grid `endMs - k * stepMs`. */
export async function readHistories(
  reader: FleetReader,
  matcher: string,
  startMs: number,
  endMs: number,
  stepMs: number,
): Promise<ReadonlyMap<string, History>> {
  const asked = questions(matcher)
  const over = (expr: string): Promise<readonly FleetSeries[]> => reader.range(expr, startMs, endMs, stepMs)
  const [succeeded, abnormal, nodes, health] = await Promise.all([
    over(asked.succeeded),
    over(asked.abnormal),
    over(asked.nodes),
    over(asked.health),
  ])
  return historiesOf({ succeeded, abnormal, nodes, health }, startMs, endMs, stepMs)
}

interface Draft {
  readonly csvs: Map<string, { isSucceeded?: boolean; phase?: string; reason?: string }>
  readonly nodes: Map<string, number>
  health: number | undefined
}

/** Columns by series become rows by time. */
function historiesOf(answers: Answers, startMs: number, endMs: number, stepMs: number): ReadonlyMap<string, History> {
  const steps = Math.floor((endMs - startMs) / stepMs) + 1
  const drafts = new Map<string, Draft[]>()
  const eachValue = (
    series: readonly FleetSeries[],
    put: (draft: Draft, labels: FleetSeries['labels'], value: number) => void,
  ): void => {
    for (const { labels, timesMs, values } of series) {
      const cluster = clusterOf(labels)
      if (cluster === '') continue // Nobody to speak of; such series are counted when they come in.
      let rows = drafts.get(cluster)
      if (rows === undefined) {
        rows = Array.from({ length: steps }, () => ({ csvs: new Map(), nodes: new Map(), health: undefined }))
        drafts.set(cluster, rows)
      }
      for (let i = 0; i < timesMs.length; i++) {
        const row = rows[Math.round((timesMs[i]! - startMs) / stepMs)]
        if (row !== undefined) put(row, labels, values[i]!)
      }
    }
  }

  const csvOf = (
    draft: Draft,
    labels: FleetSeries['labels'],
  ): Draft['csvs'] extends Map<string, infer C> ? C : never => {
    const version = labels.get('version') || (versionOfCsv(labels.get('name')) ?? labels.get('name'))
    const csv = draft.csvs.get(version) ?? {}
    draft.csvs.set(version, csv)
    return csv
  }
  eachValue(answers.succeeded, (draft, labels, value) => {
    csvOf(draft, labels).isSucceeded = value === 1
  })
  eachValue(answers.abnormal, (draft, labels, value) => {
    if (value !== 1) return
    const csv = csvOf(draft, labels)
    csv.phase = labels.get('phase')
    csv.reason = labels.get('reason')
  })
  eachValue(answers.nodes, (draft, labels, value) => {
    draft.nodes.set(labels.get('kubeversion'), value)
  })
  eachValue(answers.health, (draft, _labels, value) => {
    draft.health = value
  })

  const timesMs = Array.from({ length: steps }, (_, i) => startMs + i * stepMs)
  return new Map([...drafts].map(([cluster, rows]) => [cluster, { timesMs, snapshots: rows.map(freeze) }]))
}

function freeze(draft: Draft): Snapshot {
  const csvs = [...draft.csvs].map(([version, { isSucceeded, phase, reason }]) => {
    return [version, { isSucceeded, phase, reason }] as const
  })
  return { csvs: new Map(csvs), nodes: draft.nodes, health: draft.health }
}
