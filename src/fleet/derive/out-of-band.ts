/**
 * Operands that were edited by hand and changed back by HCO, from its Events (to the second) and from its counter (to a
 * scrape). Edits of one operand less than ten minutes apart are one burst: somebody, or some tool, at work.
 */
import type { Modification } from '../../model/cluster-record.ts'
import type { EventFacts } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import { compareTexts, type ClusterHistory, type ObjectHistory } from './cluster-history.ts'
import { labelsText } from './metric-series.ts'
import { resolutionOf } from './present.ts'
import { componentOf } from './operands.ts'

/** A modification of one source, without what follows from the cluster and its upgrades. */
export type FoundModification = Omit<Modification, 'id' | 'cluster' | 'isUpgradeMode'>

/** So many edits of one operand were reverted at a time, or within the scrape that ended then. */
interface Edit {
  readonly component: string
  readonly atMs: number
  readonly count: number
  readonly source: 'event' | 'counter'
  readonly resolutionSeconds: number
}

const BURST_GAP_MS = 10 * 60_000

export function outOfBandOf(history: ClusterHistory): readonly FoundModification[] {
  const edits = [...eventEdits(history), ...counterEdits(history)]
  const byComponent = new Map<string, Edit[]>()
  for (const edit of edits) {
    const own = byComponent.get(edit.component)
    if (own === undefined) byComponent.set(edit.component, [edit])
    else own.push(edit)
  }
  return [...byComponent]
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

/** Events and counter tell of the same edits: the way that tells of more has missed fewer. */
function modificationOf(component: string, burst: readonly Edit[]): FoundModification {
  const countOf = (source: Edit['source']): number =>
    burst.reduce((sum, edit) => sum + (edit.source === source ? edit.count : 0), 0)
  const count = Math.max(countOf('event'), countOf('counter'))
  const first = burst.find(({ source }) => source === 'event') ?? burst[0]!
  const startedMs = Math.min(first.atMs, burst[0]!.atMs)
  return {
    kind: 'out_of_band',
    component,
    startedMs,
    endedMs: burst.at(-1)!.atMs,
    count,
    text: `${component} was edited past HyperConverged and changed back${count === 1 ? '' : `, ${count} times`}`,
    resolutionSeconds: startedMs === first.atMs ? first.resolutionSeconds : burst[0]!.resolutionSeconds,
  }
}

/** `Overwritten KubeVirt kubevirt-kubevirt-hyperconverged`, told on HyperConverged. */
const OVERWRITTEN = /^Overwritten (\S+) (\S+)/

function eventEdits(history: ClusterHistory): readonly Edit[] {
  return history
    .of('events')
    .filter(({ states }) => states[0]!.facts.reason === 'Overwritten')
    .flatMap(editsOfEvent)
}

/** An Event that repeats is one object with a count: the first time, and every look that found it higher. */
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
  const edits: Edit[] = []
  const before = new Map<string, MetricRun>()
  for (const run of history.runs('out_of_band')) {
    const key = labelsText(run.labels)
    const count = increaseOf(before.get(key), run)
    before.set(key, run)
    const component = componentOf(run.labels['component_name'] ?? '')
    if (component === '' || count <= 0) continue
    edits.push({
      component,
      atMs: run.firstMs,
      count,
      source: 'counter',
      resolutionSeconds: resolutionOf(run),
    })
  }
  return edits
}

/**
 * What a counter rose by. It is born with its first increment, so its birth counts where scrapes before did not have
 * it; one that was there when the history begins tells nothing. It starts anew with the operator.
 */
function increaseOf(before: MetricRun | undefined, run: MetricRun): number {
  if (before === undefined) return run.beforeMs === undefined ? 0 : run.value
  return run.value >= before.value ? run.value - before.value : run.value
}
