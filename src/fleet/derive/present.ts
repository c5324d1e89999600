/** What is there now, as far as is known: the newest state of each object, the runs that still hold. */
import type { ObjectKind } from '../../model/object-facts.ts'
import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { compareTexts, type ClusterHistory, type FactsOf, type ObjectHistory } from './cluster-history.ts'
import { labelsText } from './metric-series.ts'

export interface PresentObject<K extends ObjectKind> {
  readonly name: string
  readonly namespace: string
  readonly facts: FactsOf<K>
  /** It is so since then, by the cluster's clock; or was found so then. */
  readonly atMs: number
}

/** Of each object that is still there, by namespace and name; a newer one of the same name after an older. */
export function presentObjects<K extends ObjectKind>(history: ClusterHistory, kind: K): readonly PresentObject<K>[] {
  return history
    .of(kind)
    .filter(({ gone }) => gone === undefined)
    .map(({ name, namespace, states }) => {
      const { facts, atMs } = states.at(-1)!
      return { name, namespace, facts, atMs }
    })
    .sort((a, b) => compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name) || a.atMs - b.atMs)
}

/** The runs that still hold at the end of what is known; of one series only the newest. */
export function presentRuns(history: ClusterHistory, signal: MetricSignal): readonly MetricRun[] {
  const newest = new Map<string, MetricRun>()
  for (const run of history.runs(signal)) newest.set(labelsText(run.labels), run)
  return [...newest.values()].filter((run) => run.afterMs === undefined)
}

/** How exact the start of a run is: the gap between the two scrapes around it, in seconds. */
export function resolutionOf({ beforeMs, firstMs }: MetricRun): number {
  return beforeMs === undefined ? 0 : Math.max(1, Math.round((firstMs - beforeMs) / 1000))
}

/** How long after its creation the first look at an object still shows how it was created. */
const CREATION_SEEN_MS = 60_000

/** Whether the first state is how the object came into being, rather than how it was found. */
export function isSeenFromCreation({ createdMs, states }: ObjectHistory): boolean {
  return createdMs !== undefined && states[0]!.atMs - createdMs <= CREATION_SEEN_MS
}
