import { groupBy } from './group-by.ts'
import { UPGRADE_SPANS } from '../../model/upgrade-convention.ts'
import { phaseWords } from './fleet-names.ts'
import { attributeOf, type Trace, type TraceSpan } from './trace.ts'
import { partOf } from './trace-view.ts'

/** A phase of an upgrade's trace, by the conventions of `src/fleet/CONVENTIONS.md`. Pure. */
export interface PhaseLane {
  readonly text: string
  /** Indices of its spans in `Trace.spans`. */
  readonly places: readonly number[]
  /** The time in which at least one of its spans ran. */
  readonly ranNs: number
  /** Its part of the critical path. */
  readonly pathNs: number
}

/** The phase that each span is of. */
const PHASES: Readonly<Record<string, string>> = {
  'olm.approval': 'approval',
  'olm.csv.pending': 'olm.pending',
  'olm.csv.install_ready': 'olm.install_ready',
  'olm.csv.installing': 'olm.installing',
  'hco.reconcile': 'operands',
  'virt_handler.canary': 'virt_handler.canary',
  'virt_handler.waves': 'virt_handler.waves',
  'kubevirt.workload_update': 'workloads',
}
/** Spans of one part of a phase, which their attributes name. */
const PARTED_PHASES: Readonly<Record<string, string>> = {
  'component.upgrade': 'operands',
  'platform.pool': 'platform',
}

const ORDER: readonly string[] = UPGRADE_SPANS.map(({ name }) => name)

/** The phase of a span in words, or the name of the span. */
export function spanWords(span: TraceSpan): string {
  const part = partOf(span)
  const whole = PARTED_PHASES[span.name]
  if (whole !== undefined && part !== '') return phaseWords(`${whole}.${part}`)
  const phase = PHASES[span.name]
  return phase === undefined ? span.name : phaseWords(phase)
}

function isPhase({ name }: TraceSpan): boolean {
  return name in PHASES || name in PARTED_PHASES
}

/** The upgrade that a trace is about. */
export interface TracedUpgrade {
  readonly cluster: string
  readonly operator: string
  readonly from: string
  readonly to: string
  /** The upgrade's id, if known: for operators with a CSV it is the trace id. */
  readonly id: string | undefined
  /** It has not ended. */
  readonly isProvisional: boolean
}

const ROOT = /^upgrade (.+)$/

export function tracedUpgrade({ traceId, spans }: Trace): TracedUpgrade | undefined {
  const root = spans.find(({ name, parent }) => parent === -1 && ROOT.test(name))
  if (root === undefined) return undefined
  const attribute = (key: string): string => attributeOf(root.attributes, key) ?? ''
  const resource = (key: string): string => attributeOf(root.resource, key) ?? ''
  return {
    cluster: resource('k8s.cluster.name') || resource('k8s.cluster.uid'),
    operator: ROOT.exec(root.name)?.[1] ?? '',
    from: attribute('upgrade.from.version'),
    to: attribute('upgrade.to.version'),
    id: attribute('deployment.id') === '' ? undefined : traceId,
    isProvisional: attribute('upgrade.provisional') === 'true',
  }
}

/** The upgrade, or the first span. */
export function traceTitle(trace: Trace): string {
  const upgrade = tracedUpgrade(trace)
  if (upgrade === undefined) return spanWords(trace.spans[0]!)
  return `${upgrade.cluster}: ${upgrade.from === '' ? 'from an unknown version' : upgrade.from} → ${upgrade.to}`
}

/** A lane for each phase, in the order of the conventions. */
export function phaseLanes({ spans }: Trace, pathNs: ReadonlyMap<number, number>): readonly PhaseLane[] {
  const phases = [...spans.keys()].filter((place) => isPhase(spans[place]!))
  const lanes = groupBy(phases, (place) => spanWords(spans[place]!))
  const orderOf = (places: readonly number[]): number => ORDER.indexOf(spans[places[0]!]!.name)
  return [...lanes]
    .sort(([a, placesA], [b, placesB]) => orderOf(placesA) - orderOf(placesB) || (a < b ? -1 : 1))
    .map(([text, places]) => ({
      text,
      places,
      ranNs: unionNs(places.map((place) => spans[place]!)),
      pathNs: places.reduce((sum, place) => sum + (pathNs.get(place) ?? 0), 0),
    }))
}

function unionNs(spans: readonly TraceSpan[]): number {
  let sumNs = 0
  let untilNs = -Infinity
  for (const { fromNs, toNs } of [...spans].sort((a, b) => a.fromNs - b.fromNs)) {
    sumNs += Math.max(0, toNs - Math.max(fromNs, untilNs))
    untilNs = Math.max(untilNs, toNs)
  }
  return sumNs
}
