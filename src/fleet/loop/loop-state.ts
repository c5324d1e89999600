import { LateChanges } from '../adoption/late-changes.ts'
import { createFleetChangeWatch, type FleetChangeWatch } from './change-watch.ts'
import { PendingDerivations } from './pending-derivations.ts'

/** Up to where the numbered changes of the store are collected, or derived. */
export interface LoopPosition {
  readonly observations: number
  readonly spans: number
  readonly alerts: number
}

/** The key under which the store has the position up to which facts are derived. */
export const POSITION_KEY = 'fleet.position'

/** The state that the stages of the fleet loop share. Only the position is stored. */
export interface FleetLoopState {
  /** Clusters whose runs were written, with the time up to which their samples were read before. From signals to changes. */
  readonly runsWritten: Map<string, number>
  /** Names that this process derives since the last collection. Owned by changes. */
  readonly gained: string[]
  /** Clusters to derive. From changes to derivation. */
  readonly pending: PendingDerivations<LoopPosition>
  /** Changes after it are new. Owned by changes; absent until the stored position was read. */
  collected: LoopPosition | undefined
  /** What was received until then was collected. Owned by changes; -Infinity: nothing since the start. */
  collectedUntilMs: number
  /** The position stored with the facts, as text. Read by changes at the start, owned by derivation from then on. */
  storedPosition: string | undefined
  /** Past days that have to be counted again. From derivation and `FleetLoop.recountDays` to day counts. */
  readonly lateChanges: LateChanges
  /** Topics of pages that changed. From derivation and heartbeats to the report. */
  readonly changedFacts: FleetChangeWatch
}

export function createLoopState(): FleetLoopState {
  return {
    runsWritten: new Map(),
    gained: [],
    pending: new PendingDerivations(),
    collected: undefined,
    collectedUntilMs: -Infinity,
    storedPosition: undefined,
    lateChanges: new LateChanges(),
    changedFacts: createFleetChangeWatch(),
  }
}
