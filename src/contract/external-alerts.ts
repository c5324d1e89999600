import { Type } from 'typebox'
import { Time, type Shape } from './common.ts'

/**
 * `/api/fleet/v1/external-alerts`: who uses the room for alerts of others (`POST /api/v2/alerts`), and their removal by an
 * administrator. A removed alert that its sender posts again is stored again.
 */
export const ExternalAlertShares = Type.Object({
  asOf: Time,
  /** Stored alerts, resolved ones of the last 15 minutes included. */
  alerts: Type.Integer(),
  /** Largest first. */
  senders: Type.Array(
    Type.Object({
      /** `token NAME`, or `address A` without a token; empty: stored by an earlier version. */
      sender: Type.String(),
      alerts: Type.Integer(),
      /** Largest first; an empty name: alerts without a cluster. */
      clusters: Type.Array(Type.Object({ cluster: Type.String(), alerts: Type.Integer() })),
    }),
  ),
})
export type ExternalAlertShares = Shape<typeof ExternalAlertShares>

/** `DELETE /api/fleet/v1/external-alerts` (role admin): alerts that match all parts; at least one part is needed. */
export const ExternalAlertFilter = Type.Object({
  sender: Type.Optional(Type.String({ description: 'As `GET` lists it.' })),
  cluster: Type.Optional(Type.String({ description: 'The cluster.' })),
  fingerprint: Type.Optional(Type.String({ description: 'One alert: 16 hex digits.' })),
})

export const ExternalAlertsRemoved = Type.Object({ asOf: Time, removed: Type.Integer() })
