import { Type } from 'typebox'
import { orNull, Time, wordOf, type Shape } from './common.ts'

/**
 * `/api/fleet/v1/decommissions`: clusters declared as switched off for good. Such a cluster is *gone* from the declared
 * moment on, as is a cluster without a report for longer than `fleet.gone-after`: no number and no list of the fleet but
 * its own includes it. A declaration never hides a running cluster: it ends when the cluster reports after that moment.
 */

const DECOMMISSION_KINDS = ['decommissioned', 'opted_out'] as const

const DECOMMISSION_STATES = ['standing', 'withdrawn', 'returned'] as const

export const DecommissionItem = Type.Object({
  id: Type.String(),
  cluster: Type.String(),
  /** `opted_out`: the cluster runs, and its owner does not want it to send data. Both count alike. */
  kind: wordOf(DECOMMISSION_KINDS),
  /** The moment from which it is gone. */
  since: Time,
  by: Type.String(),
  reason: Type.String(),
  saidAt: Time,
  /** `withdrawn`: reverted, as if never declared. `returned`: the cluster reported again at `endedAt`. */
  state: wordOf(DECOMMISSION_STATES),
  endedAt: orNull(Time),
  endedBy: orNull(Type.String()),
})
export type DecommissionItem = Shape<typeof DecommissionItem>

/** `GET /api/fleet/v1/decommissions`: all declarations, newest first. `POST` returns those it made. */
export const DecommissionItems = Type.Object({ asOf: Time, decommissions: Type.Array(DecommissionItem) })
export type DecommissionItems = Shape<typeof DecommissionItems>

/** The page size of the clusters' list. */
export const DECOMMISSIONED_MAX = 1000
const REASON_CHARS_MAX = 2000

/**
 * `POST /api/fleet/v1/decommissions` (role responder); answers 201. All clusters or, when one is refused, none. Reverts
 * earlier declarations about them. `DELETE /api/fleet/v1/decommissions/{id}` reverts one.
 */
export const DecommissionRequest = Type.Object({
  clusters: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    maxItems: DECOMMISSIONED_MAX,
    description: 'Names or aliases.',
  }),
  reason: Type.String({ minLength: 1, maxLength: REASON_CHARS_MAX, description: 'The reason.' }),
  kind: Type.Optional(wordOf(DECOMMISSION_KINDS, 'What is declared; default: `decommissioned`.')),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Start of the decommissioning; default: now. Not before the cluster was last seen, not in the future.',
    }),
  ),
  by: Type.Optional(Type.String({ description: 'The author; used only when the server requires no token.' })),
})
export type DecommissionRequest = Shape<typeof DecommissionRequest>

/** Since when and why a cluster is gone. */
export const GoneItem = Type.Object({
  since: Time,
  /** `declared` by a user. `unheard`: no report for `afterSeconds`. */
  why: wordOf(['declared', 'unheard']),
  afterSeconds: orNull(Type.Number()),
  decommission: orNull(DecommissionItem),
})
export type GoneItem = Shape<typeof GoneItem>
