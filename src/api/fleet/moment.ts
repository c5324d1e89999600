/** The moment of a request about the fleet: now, or the past moment `at`. */
import type { Clock } from '../../base/clock.ts'
import type { FleetCoverage, PastNote } from '../../contract/common.ts'
import type { FleetView } from '../../fleet/fleet-view.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { coverageItem, timeOf } from './items.ts'
import { msOf } from './query.ts'
import { invalidParam } from '../prometheus/params.ts'

interface RequestedMoment {
  /** The fleet at that moment. */
  readonly view: FleetView
  /** The moment itself, at which verdicts are computed. */
  readonly nowMs: number
  /** For a past moment the field `past`, with the unavailable fields; for the present nothing. */
  readonly past: (unavailable: readonly string[]) => Promise<{ readonly past?: PastNote }>
  /** The fields of every list beside its items. */
  readonly listHead: (
    unavailable: readonly string[],
  ) => Promise<{ readonly asOf: string; readonly past?: PastNote; readonly coverage: FleetCoverage }>
}

/** @param at RFC 3339, as `readQuery` has read it; `undefined`: now. Throws `bad_request` when it is in the future. */
export function fleetAt(fleet: FleetViews, clock: Clock, at: string | undefined): RequestedMoment {
  const presentMs = clock.nowMs()
  const atMs = pastMoment(at, presentMs)
  const nowMs = atMs ?? presentMs
  const view = fleet(atMs === undefined ? { nowMs } : { nowMs: presentMs, atMs })
  const past: RequestedMoment['past'] = async (unavailable) =>
    atMs === undefined ? {} : { past: pastNote(unavailable, timeOf(await view.knownFrom())) }
  const listHead: RequestedMoment['listHead'] = async (unavailable) => {
    const [note, coverage] = await Promise.all([past(unavailable), view.coverage()])
    return { asOf: timeOf(nowMs), ...note, coverage: coverageItem(coverage) }
  }
  return { view, nowMs, past, listHead }
}

/** Throws `bad_request` for a moment in the future. */
export function pastMoment(at: string | undefined, nowMs: number): number | undefined {
  const atMs = msOf(at)
  if (atMs === undefined || atMs <= nowMs) return atMs
  throw invalidParam('at', `got ${JSON.stringify(at)}, want a time in the past: the server time is ${timeOf(nowMs)}`)
}

export function pastNote(unavailable: readonly string[], knownFrom: PastNote['knownFrom']): PastNote {
  return { unavailable, untold: unavailable, knownFrom }
}

/** By response: fields that are missing for the past, or for some items of the past. */
export const UNAVAILABLE = {
  now: ['clusters.silent', 'firing.pending', 'stuck.nodes', 'stuck.machines', 'stuck.cause', 'derivation', 'faults'],
  clusters: ['silence', 'states', 'lastSeenAt'],
  cluster: [
    ...['silence', 'states', 'lastSeenAt', 'readiness.unknown'],
    ...['instanceTypes', 'preferences', 'deprecatedApis', 'platform.target'],
  ],
  upgrades: ['upgrades.blockedBy', 'coverage.silent'],
  upgrade: ['upgrade.blockedBy', 'components.message', 'virtHandler', 'workloads', 'lastProgressAt'],
  stuck: ['stuck.upgrade.blockedBy', 'stuck.verdict', 'silentCount', 'coverage.silent'],
  edges: ['coverage.silent'],
  stranded: ['stranded.notOffered', 'coverage.silent'],
  patches: ['coverage.silent'],
  configuration: ['coverage.silent'],
  updateGraph: ['coverage.silent'],
  gates: ['coverage.silent'],
  readiness: ['readiness.unknown', 'coverage.silent'],
  modifications: ['modifications.count', 'coverage.silent'],
  kvmStack: ['machineTypes.objects', 'coverage.silent'],
  deprecatedApis: ['apis.clients', 'coverage.silent'],
  alerts: ['pending', 'value', 'rule', 'marks', 'failing'],
} as const satisfies Readonly<Record<string, readonly string[]>>
