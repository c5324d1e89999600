import { Type } from 'typebox'
import { limitSchema, orNull, PAGE_DEFAULT, PAGE_MAX, Time, wordOf, type Shape } from './common.ts'

/** The changes of a cluster's objects, state by state. */

const OBJECT_CHANGES = ['added', 'modified', 'deleted', 'listed'] as const

/** An absent field is `null`. Names of fields are those of the stored object; `[...]` is an item of a list. */
const FieldChange = Type.Object({
  field: Type.String({ description: '`phase`, `conditions[Progressing].status`, `featureGates.alignCPUs`, ...' }),
  before: orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  after: orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
})

export const ObjectChangeItem = Type.Object({
  /** When a Collector observed it. */
  at: Time,
  /** The plural of the resource. */
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  uid: Type.String(),
  resourceVersion: Type.String(),
  /** `added` and `listed`: the first observation, which is not necessarily the creation. */
  change: wordOf(OBJECT_CHANGES),
  /** The last manager that wrote to the object; `null` when the Collector does not report it. */
  manager: orNull(
    Type.Object({
      name: Type.String({ description: '`virt-operator`, `kubectl-edit`, ...' }),
      operation: Type.String({ description: '`Update`, `Apply`; empty when not reported.' }),
      subresource: Type.String({ description: '`status`, ...; empty: the object itself.' }),
    }),
  ),
  /** True when no earlier state is known; then `fields` is empty. */
  isFirst: Type.Boolean(),
  fields: Type.Array(FieldChange),
  /** The stored state of the object, when `states` requests it. Times are milliseconds. */
  state: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type ObjectChangeItem = Shape<typeof ObjectChangeItem>

/** `GET /api/fleet/v1/clusters/{cluster}/changes`, newest first. */
export const ObjectChangesQuery = Type.Object({
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Received at this time or later.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Received at this time or earlier.' })),
  uid: Type.Optional(Type.String({ description: 'Of one object.' })),
  states: Type.Optional(wordOf(['true', 'false'], 'Whether each change includes the resulting state.')),
  limit: limitSchema(PAGE_DEFAULT, PAGE_MAX),
})

export const ObjectChangeItems = Type.Object({
  asOf: Time,
  cluster: Type.String(),
  changes: Type.Array(ObjectChangeItem),
  /** Whether the range has older changes. */
  hasMore: Type.Boolean(),
})
export type ObjectChangeItems = Shape<typeof ObjectChangeItems>
