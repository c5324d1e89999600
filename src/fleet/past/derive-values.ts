/**
 * The past of a cluster's conditions, settings and nodes, from its evidence: the record at each time at which an object changed
 * that the record is derived from, by the same functions as the record of the present. Pure; a function of the set of
 * observations, so late and repeated input ends in the same periods.
 */
import type { VersionInterval } from '../../model/cluster-record.ts'
import type { StoredValues, ValueInterval } from '../../model/cluster-value.ts'
import type { ObjectFacts, ObjectKind } from '../../model/object-facts.ts'
import type { MetricSignal } from '../../model/observation.ts'
import { intentOf, placesOf, subscriptionOf } from '../derive/cluster.ts'
import type { ClusterHistory } from '../derive/cluster-history.ts'
import { healthOf } from '../derive/health.ts'
import { seriesOf } from '../derive/current-runs.ts'
import { historyOverTime } from '../derive/history-at.ts'
import { deschedulerOf, goldenImagesOf, hyperConvergedHistoryOf, outdatedOf } from '../derive/inventory.ts'
import { poolsOf } from '../derive/platform.ts'
import { settingsOf, settingWritesOf, type ClusterSettingWrites } from '../derive/settings.ts'
import { compareTexts } from '../version-order.ts'
import { NodesOverTime } from './nodes-over-time.ts'
import { valuesOfRecord } from './value-keys.ts'

/** Times of one group of values, the newest: beyond it the past is unknown. A cluster has some hundreds in a year. */
export const POINTS_MAX = 4000

/** Objects and series that are read for all times of a group together: of a cluster with hundreds of storage classes fewer times are stored. */
const VISITS_MAX = 400_000

/** Values that are derived from the same objects. */
interface Group {
  /** What of an object these values depend on; a change of anything else is not a time of this group. */
  readonly kinds: ReadonlyMap<ObjectKind, (facts: ObjectFacts) => unknown>
  readonly signals: readonly MetricSignal[]
  /** Of the changes in a time this long only the last is stored; absent: all are. */
  readonly spacingMs?: number
  readonly valuesAt: (then: ClusterHistory, whole: Whole, atMs: number) => Partial<StoredValues>
}

/** What is the same at all times. */
interface Whole {
  readonly versions: readonly VersionInterval[]
  readonly writes: ClusterSettingWrites
  readonly nodes: NodesOverTime
}

const whole = (facts: ObjectFacts): unknown => facts

const GROUPS: readonly Group[] = [
  {
    kinds: new Map<ObjectKind, (facts: ObjectFacts) => unknown>([
      ['hyperconvergeds', whole],
      ['operatorconditions', whole],
      ['subscriptions', whole],
    ]),
    signals: ['hco_health', 'unsafe_modifications', 'subscription'],
    valuesAt: (then) => {
      const hyperConverged = hyperConvergedHistoryOf(then)?.states.at(-1)?.facts
      const subscription = subscriptionOf(then)
      return {
        ...(subscription === undefined ? {} : { subscription }),
        ...healthOf(then, hyperConverged, subscription?.installedCsv),
        ...placesOf(then),
        ...intentOf(then),
      }
    },
  },
  {
    kinds: new Map<ObjectKind, (facts: ObjectFacts) => unknown>([
      ['hyperconvergeds', settingsPart],
      ['storageclasses', whole],
      ['dataimportcrons', cronPart],
    ]),
    signals: [],
    valuesAt: (then, { writes }) => ({ settings: settingsOf(then, writes) }),
  },
  {
    kinds: new Map([['nodes', nodePart]]),
    signals: [],
    valuesAt: (_then, { nodes }, atMs) => {
      const found = nodes.at(atMs)
      return found === undefined ? {} : { nodes: found }
    },
  },
  {
    kinds: new Map([['machineconfigpools', whole]]),
    signals: [],
    valuesAt: (then) => ({ pools: poolsOf(then) }),
  },
  {
    kinds: new Map<ObjectKind, (facts: ObjectFacts) => unknown>([
      ['dataimportcrons', whole],
      ['kubedeschedulers', whole],
    ]),
    signals: [],
    valuesAt: (then, { versions }, atMs) => {
      const goldenImages = goldenImagesOf(then)
      const isAny = then.of('kubedeschedulers').length > 0
      const running = isAny && versions.find(({ fromMs, untilMs = Infinity }) => fromMs <= atMs && atMs < untilMs)
      const descheduler = isAny ? deschedulerOf(then, running ? running.version : undefined) : undefined
      return {
        ...(goldenImages === undefined ? {} : { goldenImages }),
        ...(descheduler === undefined ? {} : { descheduler }),
      }
    },
  },
  {
    kinds: new Map<ObjectKind, (facts: ObjectFacts) => unknown>([
      ['kubevirts', (facts) => (facts.kind === 'kubevirts' ? facts.outdatedWorkloads : undefined)],
    ]),
    signals: ['outdated_vmis'],
    // In a workload update the count changes with each VM.
    spacingMs: 10 * 60_000,
    valuesAt: (then) => {
      const found = outdatedOf(then)
      return found === undefined ? {} : { workloads: { outdated: found.outdated, atMs: found.atMs } }
    },
  },
]

export interface DerivedValues {
  /** By key, then by start. */
  readonly values: readonly ValueInterval[]
  /** Changes beyond `POINTS_MAX`, the oldest: their values are not stored. */
  readonly dropped: number
}

/** @param intervals the versions of the cluster */
export function deriveValues(
  history: ClusterHistory,
  intervals: readonly VersionInterval[],
  pointsMax = POINTS_MAX,
): DerivedValues {
  const versions = intervals.filter(({ operator }) => operator === 'kubevirt-hyperconverged')
  const whole = { versions, writes: settingWritesOf(history), nodes: new NodesOverTime(history) }
  let dropped = 0
  const values = GROUPS.flatMap((group) => {
    const times = timesOf(history, group, versions)
    const max = Math.max(1, Math.min(pointsMax, Math.floor(VISITS_MAX / visitsOf(history, group))))
    dropped += Math.max(0, times.length - max)
    return intervalsOf(history, group, whole, times.slice(-max))
  })
  return { values: values.sort((a, b) => compareTexts(a.key, b.key) || a.fromMs - b.fromMs), dropped }
}

/** Objects and series that are read for each time. Nodes are counted up and down instead. */
function visitsOf(history: ClusterHistory, { kinds, signals }: Group): number {
  const objects = [...kinds.keys()].map((kind) => (kind === 'nodes' ? 0 : history.of(kind).length))
  const series = signals.map((signal) => seriesOf(history.runs(signal)).length)
  return [...objects, ...series].reduce((sum, count) => sum + count, 1)
}

interface OpenValue {
  readonly fromMs: number
  readonly value: unknown
  readonly text: string
}

function intervalsOf(history: ClusterHistory, group: Group, whole: Whole, times: readonly number[]): ValueInterval[] {
  const ended: ValueInterval[] = []
  const open = new Map<string, OpenValue>()
  const historyAt = historyOverTime(history)
  for (const atMs of times) {
    const values = valuesOfRecord(group.valuesAt(historyAt(atMs), whole, atMs))
    for (const [key, { fromMs, value, text }] of open) {
      if (JSON.stringify(values.get(key)) === text) continue
      ended.push({ key, fromMs, untilMs: atMs, value })
      open.delete(key)
    }
    for (const [key, value] of values)
      if (!open.has(key)) open.set(key, { fromMs: atMs, value, text: JSON.stringify(value) })
  }
  return [...ended, ...Array.from(open, ([key, { fromMs, value }]) => ({ key, fromMs, value }))]
}

/** When a value of the group may have changed; rising. */
function timesOf(
  history: ClusterHistory,
  { kinds, signals, spacingMs }: Group,
  versions: readonly VersionInterval[],
): readonly number[] {
  const times = new Set<number>()
  for (const [kind, partOf] of kinds) {
    for (const { states, gone } of history.of(kind)) {
      let last: string | undefined
      for (const { facts, atMs } of states) {
        const text = JSON.stringify(partOf(facts))
        if (text !== last) times.add(atMs)
        last = text
      }
      if (gone !== undefined) times.add(gone.atMs)
    }
    // A verdict on the descheduler depends on the version.
    if (kind === 'kubedeschedulers') for (const { fromMs } of versions) times.add(fromMs)
  }
  for (const signal of signals) {
    for (const { firstMs, afterMs } of history.runs(signal)) {
      times.add(firstMs)
      if (afterMs !== undefined) times.add(afterMs)
    }
  }
  const rising = [...times].sort((a, b) => a - b)
  if (spacingMs === undefined) return rising
  const partOf = (timeMs: number | undefined): number => Math.floor((timeMs ?? Infinity) / spacingMs)
  return rising.filter((timeMs, i) => partOf(timeMs) !== partOf(rising[i + 1]))
}

/** Fields of HyperConverged that are not settings; most change in each upgrade. */
const NOT_SETTINGS: ReadonlySet<string> = new Set([
  ...['conditions', 'systemHealth', 'operatorVersion', 'observedGeneration', 'generation', 'jsonPatches'],
])

function settingsPart(facts: ObjectFacts): unknown {
  return Object.entries(facts).filter(([field]) => !NOT_SETTINGS.has(field))
}

function cronPart(facts: ObjectFacts): unknown {
  return facts.kind === 'dataimportcrons' ? facts.managedDataSource : facts
}

function nodePart(facts: ObjectFacts): unknown {
  return facts.kind === 'nodes' ? [facts.isReady, facts.kubeletVersion] : facts
}
