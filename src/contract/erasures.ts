import { Type } from 'typebox'
import { METRICS_STORE_ERASURES } from '../model/erasure.ts'
import { orNull, Time, wordOf, type Shape } from './common.ts'

/** `/api/fleet/v1/erasures`: removal of everything that is stored about a cluster (role admin). */

const ERASURE_STATES = ['erasing', 'erased', 'allowed'] as const

export const ErasureItem = Type.Object({
  id: Type.String(),
  /** The cluster and its other names; `null` when nothing of it is stored any more, these names included. */
  names: orNull(Type.Array(Type.String())),
  /** `erasing`: in steps, and again until nothing is found. `erased`: its data is refused. `allowed`: accepted again. */
  state: wordOf(ERASURE_STATES),
  by: Type.String(),
  startedAt: Time,
  /** Rows and series that were removed or rewritten. */
  removed: Type.Integer(),
  doneAt: orNull(Time),
  allowedAt: orNull(Time),
  allowedBy: orNull(Type.String()),
  /** Where several processes share the facts: how far each is. It ends when all have ended it, also stopped ones. */
  processes: Type.Array(Type.Object({ process: Type.String(), removed: Type.Integer(), doneAt: orNull(Time) })),
  /** The metrics store. `unsupported`: delete the series there as `text` says. `null`: none, or not reached yet. */
  metricsStore: orNull(Type.Object({ state: wordOf(METRICS_STORE_ERASURES), text: Type.String(), at: Time })),
})
export type ErasureItem = Shape<typeof ErasureItem>

/** `GET /api/fleet/v1/erasures`: newest first. */
export const ErasureItems = Type.Object({ asOf: Time, erasures: Type.Array(ErasureItem) })
export type ErasureItems = Shape<typeof ErasureItems>

/** `POST /api/fleet/v1/erasures`; answers 201. `POST /api/fleet/v1/erasures/{id}/allow` accepts the cluster's data again. */
export const ErasureRequest = Type.Object({
  cluster: Type.String({ minLength: 1, description: 'The name; data stored under its aliases is erased too.' }),
  confirm: Type.String({ description: 'The same name again: the erasure cannot be reverted.' }),
  by: Type.Optional(Type.String({ description: 'The author; used only when the server requires no token.' })),
})
export type ErasureRequest = Shape<typeof ErasureRequest>
