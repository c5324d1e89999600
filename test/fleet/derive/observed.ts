/** Observations in few words: objects with their states over time, runs of metrics, and a cluster that holds them. */
import type {
  CsvFacts,
  EventFacts,
  HyperConvergedFacts,
  ObjectFacts,
  OperandFacts,
} from '../../../src/model/object-facts.ts'
import type {
  ClusterObservations,
  MetricRun,
  MetricSignal,
  ObjectAbsence,
  ObjectChange,
  ObjectObservation,
} from '../../../src/model/observation.ts'

export const CLUSTER = 'c-1'
/** 2026-08-20T10:00:00Z. */
export const T0 = 1_787_220_000_000
export const at = (seconds: number): number => T0 + seconds * 1000

export interface Look {
  readonly name?: string
  readonly namespace?: string
  readonly uid?: string
  readonly change?: ObjectChange
  readonly version?: number
}

/** One look at an object, `seconds` after T0; resource versions count with the seconds unless said otherwise. */
export function look(seconds: number, facts: ObjectFacts, options: Look = {}): ObjectObservation {
  const { name = facts.kind, namespace = 'kubevirt-hyperconverged', uid = `uid-${facts.kind}-${name}` } = options
  return {
    cluster: CLUSTER,
    uid,
    name,
    namespace,
    resourceVersion: String(options.version ?? 1_000_000 + seconds),
    change: options.change ?? 'modified',
    observedMs: at(seconds),
    facts,
  }
}

export function hyperConverged(facts: Partial<HyperConvergedFacts> = {}): HyperConvergedFacts {
  return {
    kind: 'hyperconvergeds',
    apiVersion: 'hco.kubevirt.io/v1beta1',
    conditions: [],
    liveMigration: {},
    featureGates: {},
    jsonPatches: {},
    ...facts,
  }
}

export function operand(kind: OperandFacts['kind'], facts: Partial<OperandFacts> = {}): OperandFacts {
  return { kind, conditions: [], ...facts }
}

export function csv(version: string, facts: Partial<CsvFacts> = {}): CsvFacts {
  return {
    kind: 'clusterserviceversions',
    version,
    skips: [],
    phase: 'Succeeded',
    reason: 'InstallSucceeded',
    message: '',
    history: [],
    ...facts,
  }
}

export function overwritten(message: string, facts: Partial<EventFacts> = {}): EventFacts {
  return {
    kind: 'events',
    reason: 'Overwritten',
    type: 'Warning',
    message,
    count: 1,
    objectKind: 'HyperConverged',
    objectName: 'kubevirt-hyperconverged',
    objectNamespace: 'kubevirt-hyperconverged',
    ...facts,
  }
}

export interface RunEnds {
  /** Seconds after T0; absent: the history begins with the run. */
  readonly before?: number
  /** Absent: it still holds. */
  readonly after?: number
}

/** A run from `first` to `last`, seconds after T0. */
export function run(
  signal: MetricSignal,
  labels: Readonly<Record<string, string>>,
  value: number,
  [first, last]: readonly [number, number],
  { before, after }: RunEnds = {},
): MetricRun {
  return {
    cluster: CLUSTER,
    signal,
    labels,
    value,
    firstMs: at(first),
    lastMs: at(last),
    ...(before === undefined ? {} : { beforeMs: at(before) }),
    ...(after === undefined ? {} : { afterMs: at(after) }),
  }
}

export function observed(
  objects: readonly ObjectObservation[] = [],
  metrics: readonly MetricRun[] = [],
  absences: readonly ObjectAbsence[] = [],
): ClusterObservations {
  return { cluster: CLUSTER, objects, metrics, absences, spans: [] }
}
