/** Observations of clusters, written as a Collector would tell them: builders, and the golden upgrade by hand. */
import type {
  CsvFacts,
  HyperConvergedFacts,
  ObjectFacts,
  OperandFacts,
  Condition,
} from '../../../src/model/object-facts.ts'
import type {
  ClusterObservations,
  MetricRun,
  MetricSignal,
  ObjectChange,
  ObjectObservation,
} from '../../../src/model/observation.ts'

/** 2026-08-20T10:00:00Z, as in golden/README.md. */
export const T0 = 1_787_220_000_000
export const CLUSTER = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
export const NAMESPACE = 'kubevirt-hyperconverged'
export const CSV_UID = '11111111-2222-4333-8444-555555555555'

export const at = (seconds: number): number => T0 + seconds * 1000

export function csvName(version: string): string {
  return `kubevirt-hyperconverged-operator.v${version}`
}

export function observations(parts: Partial<ClusterObservations>): ClusterObservations {
  return { cluster: CLUSTER, objects: [], absences: [], metrics: [], spans: [], ...parts }
}

interface Sight {
  readonly uid: string
  readonly name: string
  readonly rv: number
  readonly seconds: number
  readonly change?: ObjectChange
  readonly namespace?: string
}

/** Seen a quarter of a second after it was so. */
export function sight({ uid, name, rv, seconds, change, namespace }: Sight, facts: ObjectFacts): ObjectObservation {
  return {
    cluster: CLUSTER,
    uid,
    name,
    namespace: namespace ?? NAMESPACE,
    resourceVersion: String(rv),
    change: change ?? 'modified',
    observedMs: at(seconds) + 250,
    facts,
  }
}

/** Phase, reason, second. */
export type Step = readonly [phase: string, reason: string, second: number]

/** A CSV that has gone through these steps; the last one is now. */
export function csvFacts(version: string, steps: readonly Step[], more: Partial<CsvFacts> = {}): CsvFacts {
  const history = steps.map(([phase, reason, second]) => ({
    phase,
    reason,
    message: reason,
    lastTransitionMs: at(second),
    lastUpdateMs: at(second),
  }))
  const last = history.at(-1)
  return {
    kind: 'clusterserviceversions',
    version,
    skips: [],
    phase: last?.phase ?? '',
    reason: last?.reason ?? '',
    message: last?.message ?? '',
    ...(last !== undefined && { lastTransitionMs: last.lastTransitionMs }),
    history: history.slice(-20),
    createdMs: T0,
    ...more,
  }
}

export function condition(type: string, status: string, reason: string, message: string, second: number): Condition {
  return { type, status, reason, message, lastTransitionMs: at(second) }
}

export function hcoFacts(
  operatorVersion: string | undefined,
  progressing: Condition,
  more: Partial<HyperConvergedFacts> = {},
): HyperConvergedFacts {
  return {
    kind: 'hyperconvergeds',
    apiVersion: 'hco.kubevirt.io/v1beta1',
    ...(operatorVersion !== undefined && { operatorVersion }),
    conditions: [condition('Available', 'True', 'ReconcileCompleted', '', 0), progressing],
    liveMigration: {},
    featureGates: {},
    jsonPatches: {},
    createdMs: at(-500 * 86_400),
    ...more,
  }
}

export function upgradingTo(version: string, second: number): Condition {
  return condition('Progressing', 'True', 'HCOUpgrading', `HCO is now upgrading to version ${version}`, second)
}

export function settled(second: number): Condition {
  return condition('Progressing', 'False', 'ReconcileCompleted', 'Reconcile completed successfully', second)
}

export function operandFacts(kind: OperandFacts['kind'], more: Partial<OperandFacts>): OperandFacts {
  return { kind, conditions: [], createdMs: at(-500 * 86_400), ...more }
}

export function run(
  signal: MetricSignal,
  labels: Readonly<Record<string, string>>,
  value: number,
  seconds: { readonly first: number; readonly last: number; readonly before?: number; readonly after?: number },
): MetricRun {
  return {
    cluster: CLUSTER,
    signal,
    labels,
    value,
    firstMs: at(seconds.first),
    lastMs: at(seconds.last),
    ...(seconds.before !== undefined && { beforeMs: at(seconds.before) }),
    ...(seconds.after !== undefined && { afterMs: at(seconds.after) }),
  }
}

/** golden/otlp/logs-k8s-watch, by hand. */
export function goldenUpgrade(): readonly ObjectObservation[] {
  const path: readonly Step[] = [
    ['Pending', 'RequirementsNotMet', 0],
    ['InstallReady', 'AllRequirementsMet', 20],
    ['Installing', 'InstallSucceeded', 21],
    ['Succeeded', 'InstallSucceeded', 95],
  ]
  const csv = { uid: CSV_UID, name: csvName('1.17.0') }
  const replaces = csvName('1.16.0')
  const hco = { uid: '22222222-2222-4333-8444-555555555555', name: 'kubevirt-hyperconverged' }
  return [
    sight({ ...csv, rv: 1001, seconds: 0, change: 'added' }, csvFacts('1.17.0', [], { replaces })),
    ...path.map(([, , second], i) =>
      sight({ ...csv, rv: 1002 + i, seconds: second }, csvFacts('1.17.0', path.slice(0, i + 1), { replaces })),
    ),
    sight({ ...hco, rv: 2001, seconds: 96 }, hcoFacts('1.16.0', upgradingTo('1.17.0', 95))),
    sight({ ...hco, rv: 2002, seconds: 841 }, hcoFacts('1.17.0', settled(840))),
    sight(
      { uid: '00000000-2222-4333-8444-555555555555', name: replaces, rv: 1010, seconds: 101, change: 'deleted' },
      csvFacts('1.16.0', [['Deleting', 'Replaced', 100]]),
    ),
  ]
}
