import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** A process among those that share the facts. What it reports about itself is as of its last heartbeat. */
export const ProcessItem = Type.Object({
  name: Type.String(),
  /** The one that answers. */
  isSelf: Type.Boolean(),
  /** `ended`: in order, and samples wait in its data folder. `silent`: its heartbeats stopped. */
  state: Type.Union([Type.Literal('running'), Type.Literal('ended'), Type.Literal('silent')]),
  version: Type.String(),
  roles: Type.Array(Type.String()),
  startedMs: Type.Number(),
  /** Since its last heartbeat. */
  silentMs: Type.Number(),
  /** By kind: cluster, rules, alerts. Absent: its release reports nothing, as the fields below. */
  leases: Type.Optional(Type.Record(Type.String(), Type.Number())),
  /** Samples that the metrics store has not acknowledged, and the age of the oldest. Absent: it forwards none. */
  forward: Type.Optional(Type.Object({ lagSamples: Type.Number(), lagSeconds: Type.Number() })),
  /** What is not copied to PostgreSQL. */
  shipping: Type.Optional(Type.Object({ lagSeconds: Type.Number(), pendingCommits: Type.Number() })),
  /** What does not work, as sentences. */
  faults: Type.Array(Type.String()),
})
export type ProcessItem = Shape<typeof ProcessItem>

export const ProcessItems = Type.Object({
  /** By name. Without `store.facts` there is only this one. */
  processes: Type.Array(ProcessItem),
  /** Since the other processes were known: some seconds, and longer while PostgreSQL does not answer. */
  unheardMs: Type.Number(),
  /** Why the last heartbeat failed. */
  fault: Type.Optional(Type.String()),
})
export type ProcessItems = Shape<typeof ProcessItems>

/** `GET /debug/processes`. */
export const DebugProcesses = Type.Object({ asOfMs: Type.Number(), ...ProcessItems.properties })
export type DebugProcesses = Shape<typeof DebugProcesses>
