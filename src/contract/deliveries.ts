import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** One attempt to notify a receiver. */
export const DeliveryItem = Type.Object({
  id: Type.Number(),
  atMs: Type.Number(),
  receiver: Type.String(),
  /** `webhook`, `slack`, `pagerduty`, `email`, `msteams`, `alertmanager`. */
  integration: Type.String(),
  /** Address without secrets. */
  target: Type.String(),
  groupKey: Type.String(),
  alerts: Type.Number(),
  /** Names of the alerts in it. */
  alertnames: Type.Array(Type.String()),
  fingerprints: Type.Array(Type.String()),
  reason: Type.String(),
  outcome: Type.Union([Type.Literal('delivered'), Type.Literal('refused'), Type.Literal('failed')]),
  /** 1 for the first attempt. */
  attempt: Type.Number(),
  status: Type.Optional(Type.Number()),
  latencyMs: Type.Number(),
  error: Type.Optional(Type.String()),
  retryAtMs: Type.Optional(Type.Number()),
  /** The sent payload, without secrets, truncated when long. Only in the response about one delivery. */
  payload: Type.Optional(Type.String()),
  answer: Type.Optional(Type.String()),
})
export type DeliveryItem = Shape<typeof DeliveryItem>

/**
 * `GET /api/fleet/v1/deliveries?receiver&outcome&fingerprint&limit&cursor`, newest first;
 * `/api/fleet/v1/deliveries/{id}` is one `DeliveryItem` with payload and answer.
 */
export const DeliveryItems = Type.Object({
  deliveries: Type.Array(DeliveryItem),
  nextCursor: Type.Optional(Type.String()),
})
export type DeliveryItems = Shape<typeof DeliveryItems>

/** `GET /api/fleet/v1/receivers`: the receivers and the health of their integrations. */
export const ReceiverItems = Type.Object({
  receivers: Type.Array(
    Type.Object({
      name: Type.String(),
      integrations: Type.Array(
        Type.Object({
          integration: Type.String(),
          target: Type.String(),
          /** Notifications that wait for a retry. */
          waiting: Type.Number(),
          failuresInARow: Type.Number(),
          lastDeliveredAtMs: Type.Optional(Type.Number()),
          lastError: Type.Optional(Type.String()),
        }),
      ),
    }),
  ),
  /** The name of the configuration file, if any. */
  configFile: Type.Optional(Type.String()),
})
export type ReceiverItems = Shape<typeof ReceiverItems>

/** One node of the routing tree, for `GET /api/fleet/v1/routes`. */
export const RouteItem = Type.Cyclic(
  {
    Route: Type.Object({
      receiver: Type.String(),
      matchers: Type.Array(Type.String()),
      groupBy: Type.Array(Type.String()),
      groupWaitMs: Type.Number(),
      groupIntervalMs: Type.Number(),
      repeatIntervalMs: Type.Number(),
      muteTimeIntervals: Type.Array(Type.String()),
      activeTimeIntervals: Type.Array(Type.String()),
      continues: Type.Boolean(),
      routes: Type.Array(Type.Ref('Route')),
    }),
  },
  'Route',
)
export type RouteItem = Shape<typeof RouteItem>

/** `POST /api/fleet/v1/routes/test` with `{ labels }`: the receivers in order, each with the path of route indices to it. */
export const RouteTest = Type.Object({
  matches: Type.Array(
    Type.Object({ receiver: Type.String(), path: Type.Array(Type.Number()), matchers: Type.Array(Type.String()) }),
  ),
})
export type RouteTest = Shape<typeof RouteTest>
