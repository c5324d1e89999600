import { Type } from 'typebox'
import { listOf, MOMENT_PARAMS, orNull, PAGE_PARAMS, Time, wordOf, type Shape } from './common.ts'

/** Out-of-band modifications of objects that the operator manages. */

const MODIFICATION_KINDS = ['out_of_band', 'jsonpatch'] as const

/** An operation of a JSON patch (RFC 6902). */
export const PatchOperationItem = Type.Object({
  op: Type.String(),
  path: Type.String(),
  value: Type.Optional(Type.Unknown()),
  from: Type.Optional(Type.String()),
})

export const ModificationItem = Type.Object({
  id: Type.String(),
  cluster: Type.String(),
  kind: wordOf(MODIFICATION_KINDS),
  component: Type.String(),
  startedAt: orNull(Time),
  /** `null`: still active. */
  endedAt: orNull(Time),
  /** Of a burst the edits until the moment of the answer. */
  count: Type.Integer(),
  /** Of a JSON patch (RFC 6902); `null` for another kind, or when only its size is known. */
  operations: orNull(Type.Array(PatchOperationItem)),
  annotation: orNull(Type.String()),
  text: Type.String(),
  /** During an upgrade of HCO, when some versions count their own changes. */
  upgradeMode: Type.Boolean(),
  resolutionSeconds: Type.Number(),
})
export type ModificationItem = Shape<typeof ModificationItem>

/** `GET /api/fleet/v1/modifications`, newest first. */
export const ModificationsQuery = Type.Object({
  cluster: Type.Optional(Type.String({ description: 'The name or an alias of a cluster.' })),
  kind: Type.Optional(wordOf(MODIFICATION_KINDS)),
  component: Type.Optional(Type.String({ description: '`kubevirt`, `cdi`, ..., or kind and name: `configmap/x`.' })),
  open: Type.Optional(Type.Boolean({ description: 'Whether the modification is in effect.' })),
  startedFrom: Type.Optional(Type.String({ format: 'date-time', description: 'Started at this time or later.' })),
  startedTo: Type.Optional(Type.String({ format: 'date-time', description: 'Started at this time or earlier.' })),
  ...MOMENT_PARAMS,
  ...PAGE_PARAMS,
})

export const ModificationItems = listOf({
  modifications: Type.Array(ModificationItem),
  /** The clusters of this page that are gone. */
  goneClusters: Type.Array(Type.String()),
})
export type ModificationItems = Shape<typeof ModificationItems>
