import { Type, type Static } from 'typebox'
import { orNull, Time, wordOf } from './fleet-common.ts'

/**
 * `/api/fleet/v1/decommissions`: clusters of which somebody says that they were switched off for good. Such a cluster is
 * *gone*, as is one that was not heard for longer than `fleet.gone-after`: it is in no number and no list of the fleet but
 * its own, from the moment on that is named. A word never hides a living cluster: it ends by itself when the cluster is
 * heard after that moment.
 */

const DECOMMISSION_STATES = ['standing', 'withdrawn', 'returned'] as const

export const DecommissionItem = Type.Object({
  id: Type.String(),
  cluster: Type.String(),
  /** From this moment on it is gone. */
  since: Time,
  by: Type.String(),
  reason: Type.String(),
  saidAt: Time,
  /** `withdrawn`: somebody took it back, and it never held. `returned`: the cluster was heard again at `endedAt`. */
  state: wordOf(DECOMMISSION_STATES),
  endedAt: orNull(Time),
  endedBy: orNull(Type.String()),
})
export type DecommissionItem = Static<typeof DecommissionItem>

/** `GET /api/fleet/v1/decommissions`: all there ever were, the newest first. `POST` answers those it made. */
export const DecommissionItems = Type.Object({ asOf: Time, decommissions: Type.Array(DecommissionItem) })
export type DecommissionItems = Static<typeof DecommissionItems>

/** As many as one list of clusters shows at a time. */
export const DECOMMISSIONED_MAX = 1000
const REASON_CHARS_MAX = 2000

/**
 * `POST /api/fleet/v1/decommissions` (role responder); answers 201. Of all of them or, when one cannot be, of none. What was
 * said of them before is taken back with it. `DELETE /api/fleet/v1/decommissions/{id}` takes one back.
 */
export const DecommissionRequest = Type.Object({
  clusters: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    maxItems: DECOMMISSIONED_MAX,
    description: 'Their names, or other names they go by.',
  }),
  reason: Type.String({ minLength: 1, maxLength: REASON_CHARS_MAX, description: 'Why, for whoever wonders later.' }),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'From when on they are gone; now when left out. Not before they were last heard, and not yet to come.',
    }),
  ),
  by: Type.Optional(Type.String({ description: 'Who says so; only looked at when the server needs no token.' })),
})
export type DecommissionRequest = Static<typeof DecommissionRequest>

/** Since when a cluster is gone, and why. */
export const GoneItem = Type.Object({
  since: Time,
  /** `declared`: somebody said so. `unheard`: nothing was heard of it for `afterSeconds`. */
  why: wordOf(['declared', 'unheard']),
  afterSeconds: orNull(Type.Number()),
  decommission: orNull(DecommissionItem),
})
export type GoneItem = Static<typeof GoneItem>
