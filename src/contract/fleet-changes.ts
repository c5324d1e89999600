import { Type, type Static } from 'typebox'
import { limitSchema, orNull, PAGE_DEFAULT, PAGE_MAX, Time, wordOf } from './fleet-common.ts'

/** What changed of a cluster's objects, state by state. */

const OBJECT_CHANGES = ['added', 'modified', 'deleted', 'listed'] as const

/** A field that is not there is `null`. Names of fields are those of what is kept of the object; `[...]` is a list's item. */
export const FieldChange = Type.Object({
  field: Type.String({ description: '`phase`, `conditions[Progressing].status`, `featureGates.alignCPUs`, ...' }),
  before: orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  after: orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
})
export type FieldChange = Static<typeof FieldChange>

export const ObjectChangeItem = Type.Object({
  /** When a Collector saw it. */
  at: Time,
  /** The plural of the resource. */
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  uid: Type.String(),
  resourceVersion: Type.String(),
  /** `added` and `listed`: how it was first seen, which is no creation. */
  change: wordOf(OBJECT_CHANGES),
  /** Who had written to the object last when it was seen so; `null` where its Collector does not tell it. */
  manager: orNull(
    Type.Object({
      name: Type.String({ description: '`virt-operator`, `kubectl-edit`, ...' }),
      operation: Type.String({ description: '`Update`, `Apply`; empty where it is not said.' }),
      subresource: Type.String({ description: '`status`, ...; empty: the object itself.' }),
    }),
  ),
  /** Whether a state from before is known; without one no field is told. */
  isFirst: Type.Boolean(),
  fields: Type.Array(FieldChange),
  /** What is kept of the object in this state, when `states` asks for it. Times are milliseconds. */
  state: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type ObjectChangeItem = Static<typeof ObjectChangeItem>

/** `GET /api/fleet/v1/clusters/{cluster}/changes`, newest first. */
export const ObjectChangesQuery = Type.Object({
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Seen then or later.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Seen then or before.' })),
  uid: Type.Optional(Type.String({ description: 'Of one object.' })),
  states: Type.Optional(wordOf(['true', 'false'], 'Whether each change comes with the state it led to.')),
  limit: limitSchema(PAGE_DEFAULT, PAGE_MAX),
})
export type ObjectChangesQuery = Static<typeof ObjectChangesQuery>

export const ObjectChangeItems = Type.Object({
  asOf: Time,
  cluster: Type.String(),
  changes: Type.Array(ObjectChangeItem),
  /** There are older ones in the range. */
  hasMore: Type.Boolean(),
})
export type ObjectChangeItems = Static<typeof ObjectChangeItems>
