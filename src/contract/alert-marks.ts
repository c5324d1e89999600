import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** What suppresses the notifications of an alert, and its acknowledgement. No mark hides an alert: each has its reason. */
export const AlertMarks = Type.Object({
  /** Ids of active silences. */
  silencedBy: Type.Array(Type.String()),
  /** Fingerprints of the alerts that inhibit it. */
  inhibitedBy: Type.Array(Type.String()),
  /** Names of the time intervals that mute it now. */
  mutedBy: Type.Array(Type.String()),
  acknowledged: Type.Optional(Type.Object({ by: Type.String(), atMs: Type.Number(), note: Type.String() })),
  /** A healthy upgrade is expected to raise it, in this phase and on this cluster only. */
  expected: Type.Optional(
    Type.Object({
      /** Its id, as in `/api/fleet/v1/upgrades/{id}`. */
      upgrade: Type.String(),
      /** For display: `east from 1.16.0 to 1.17.0`. */
      title: Type.String(),
      phase: Type.String(),
      reason: Type.String(),
    }),
  ),
  /** Names of the receivers of its route; empty without a configuration. */
  receivers: Type.Array(Type.String()),
  /** The last notification decision for each receiver. */
  decisions: Type.Array(
    Type.Object({ receiver: Type.String(), sends: Type.Boolean(), reason: Type.String(), atMs: Type.Number() }),
  ),
})
export type AlertMarks = Shape<typeof AlertMarks>

export const NO_MARKS: AlertMarks = { silencedBy: [], inhibitedBy: [], mutedBy: [], receivers: [], decisions: [] }
