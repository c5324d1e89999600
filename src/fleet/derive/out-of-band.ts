/**
 * Out-of-band edits of operands that HCO reverted, from its Events (to the second) and its counter (to a scrape). Edits of
 * one operand less than ten minutes apart are one burst.
 */
import type { Modification } from '../../model/cluster-record.ts'
import type { EventFacts } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import { type ClusterHistory, type ObjectHistory } from './cluster-history.ts'
import { compareTexts } from '../version-order.ts'
import { groupBy } from '../../base/group-by.ts'
import { labelsText } from '../run-series.ts'
import { resolutionOf } from './present.ts'
import { componentOf } from './operands.ts'

/** A modification of one source, without what follows from the cluster and its upgrades. */
export type FoundModification = Omit<Modification, 'id' | 'cluster' | 'isUpgradeMode'>

/** Reverted edits of one operand at a time, or within the scrape interval that ended then. */
interface Edit {
  readonly component: string
  readonly atMs: number
  readonly count: number
  readonly source: 'event' | 'counter'
  readonly resolutionSeconds: number
}

const BURST_GAP_MS = 10 * 60_000
/** Times that are stored of one burst. */
const EDITS_MAX = 200

export function outOfBandOf(history: ClusterHistory): readonly FoundModification[] {
  const edits = [...eventEdits(history), ...counterEdits(history)]
  return [...groupBy(edits, ({ component }) => component)]
    .sort(([a], [b]) => compareTexts(a, b))
    .flatMap(([component, own]) => burstsOf(own).map((burst) => modificationOf(component, burst)))
}

function burstsOf(edits: readonly Edit[]): readonly (readonly Edit[])[] {
  const ordered = [...edits].sort((a, b) => a.atMs - b.atMs || compareTexts(a.source, b.source) || a.count - b.count)
  const bursts: Edit[][] = []
  for (const edit of ordered) {
    const last = bursts.at(-1)
    if (last !== undefined && edit.atMs - last.at(-1)!.atMs < BURST_GAP_MS) last.push(edit)
    else bursts.push([edit])
  }
  return bursts
}

/** Events and counter report the same edits: the higher count is more complete. */
function modificationOf(component: string, burst: readonly Edit[]): FoundModification {
  const edits = editsOf(burst)
  const [, count] = edits.at(-1)!
  const first = burst.find(({ source }) => source === 'event') ?? burst[0]!
  const startedMs = Math.min(first.atMs, burst[0]!.atMs)
  return {
    kind: 'out_of_band',
    component,
    startedMs,
    endedMs: burst.at(-1)!.atMs,
    ...{ count, edits, text: outOfBandText(component, count) },
    resolutionSeconds: startedMs === first.atMs ? first.resolutionSeconds : burst[0]!.resolutionSeconds,
  }
}

function editsOf(burst: readonly Edit[]): NonNullable<Modification['edits']> {
  const sums = { event: 0, counter: 0 }
  const byTime = new Map<number, number>()
  for (const { atMs, source, count } of burst) {
    sums[source] += count
    byTime.set(atMs, Math.max(sums.event, sums.counter))
  }
  const all = [...byTime]
  const every = Math.ceil(all.length / EDITS_MAX)
  return all.filter((_, i) => i % every === 0 || i === all.length - 1)
}

export function outOfBandText(component: string, count: number): string {
  return `${component} was modified out of band and reverted${count === 1 ? '' : `, ${count} times`}`
}

/** `Overwritten KubeVirt kubevirt-kubevirt-hyperconverged`, an Event of HyperConverged. */
const OVERWRITTEN = /^Overwritten (\S+) (\S+)/

function eventEdits(history: ClusterHistory): readonly Edit[] {
  return history
    .of('events')
    .filter(({ states }) => states[0]!.facts.reason === 'Overwritten')
    .flatMap(editsOfEvent)
}

/** A repeated Event is one object with a count: the first time, and every observed increase. */
function editsOfEvent({ states }: ObjectHistory<EventFacts>): readonly Edit[] {
  const { message, objectKind, objectName } = states[0]!.facts
  const [, kind = objectKind, name = objectName] = OVERWRITTEN.exec(message) ?? []
  const component = componentOf(`${kind}/${name}`)
  const edits: Edit[] = []
  let counted = 0
  const add = (atMs: number, count: number): void => {
    if (count > 0) edits.push({ component, atMs, count, source: 'event', resolutionSeconds: 1 })
  }
  for (const { facts, atMs } of states) {
    const count = Math.max(facts.count, 1)
    if (counted === 0) {
      add(facts.firstMs ?? facts.createdMs ?? facts.lastMs ?? atMs, 1)
      counted = 1
    }
    add(facts.lastMs ?? atMs, count - counted)
    counted = Math.max(counted, count)
  }
  return edits
}

function counterEdits(history: ClusterHistory): readonly Edit[] {
  const runsByName = groupBy(history.runs('out_of_band'), ({ labels }) => labels['component_name'] ?? '')
  return [...runsByName].flatMap(([name, runs]) => {
    const component = componentOf(name)
    if (component === '') return []
    return increasesOf(runs).map(({ run, count }) => {
      return { component, atMs: run.firstMs, count, source: 'counter', resolutionSeconds: resolutionOf(run) }
    })
  })
}

/** The increases of one component's counter, over all processes of HCO that counted. */
function increasesOf(runs: readonly MetricRun[]): readonly { readonly run: MetricRun; readonly count: number }[] {
  const newest = new Map<string, MetricRun>()
  return runs.flatMap((run) => {
    const key = labelsText(run.labels)
    const before = [...newest.values()].findLast((other) => isSameProcess(other, run))
    // The newest run is the last entry.
    newest.delete(key)
    newest.set(key, run)
    const count = increaseOf(before, run)
    return count > 0 ? [{ run, count }] : []
  })
}

/** Whether two runs may be of one process: a sender that starts or stops reporting the pod does not restart HCO. */
function isSameProcess({ labels: a }: MetricRun, { labels: b }: MetricRun): boolean {
  if (a['pod'] !== undefined && b['pod'] !== undefined) return a['pod'] === b['pod']
  if (a['instance'] !== undefined && b['instance'] !== undefined) return a['instance'] === b['instance']
  return true
}

/**
 * The increase of a counter. HCO counts from 0 in each process, and a component's series starts with its first increment: a
 * series that was missing in a scrape and is back is of a new process in the same pod. The first increment counts if an
 * earlier scrape did not have it.
 */
function increaseOf(before: MetricRun | undefined, run: MetricRun): number {
  if (before === undefined) return run.beforeMs === undefined ? 0 : run.value
  const wasMissing = before.afterMs !== undefined && before.afterMs < run.firstMs
  return wasMissing || run.value < before.value ? run.value : run.value - before.value
}
