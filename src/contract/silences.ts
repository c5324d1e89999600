import { Type } from 'typebox'
import type { Shape } from './common.ts'

/**
 * `/api/fleet/v1/silences`, beside Alertmanager's own `/api/v2/silences`: with the preview, until-resolved and the
 * alerts that each one hides.
 */

export const MatcherItem = Type.Object({
  name: Type.String(),
  op: Type.Union([Type.Literal('='), Type.Literal('!='), Type.Literal('=~'), Type.Literal('!~')]),
  value: Type.String(),
})
export type MatcherItem = Shape<typeof MatcherItem>

export const SilenceItem = Type.Object({
  id: Type.String(),
  state: Type.Union([Type.Literal('pending'), Type.Literal('active'), Type.Literal('expired')]),
  matchers: Type.Array(MatcherItem),
  startsAtMs: Type.Number(),
  endsAtMs: Type.Number(),
  updatedAtMs: Type.Number(),
  createdBy: Type.String(),
  comment: Type.String(),
  untilResolved: Type.Boolean(),
  /** Fingerprints of the active alerts that it matches now. */
  hides: Type.Array(Type.String()),
})
export type SilenceItem = Shape<typeof SilenceItem>

/** `GET /api/fleet/v1/silences`: active, pending, then expired ones of the last five days. */
export const SilenceItems = Type.Object({ asOfMs: Type.Number(), silences: Type.Array(SilenceItem) })
export type SilenceItems = Shape<typeof SilenceItems>

/**
 * `POST /api/fleet/v1/silences` (role responder); answers 201 and the `SilenceItem`. `PUT /api/fleet/v1/silences/{id}`
 * replaces one, `DELETE` expires it. With a token, `createdBy` is the name of its owner.
 */
export const SilenceRequest = Type.Object({
  matchers: Type.Array(MatcherItem, { minItems: 1 }),
  startsAtMs: Type.Optional(Type.Number()),
  endsAtMs: Type.Number(),
  comment: Type.String({ minLength: 1 }),
  createdBy: Type.Optional(Type.String()),
  untilResolved: Type.Optional(Type.Boolean()),
})
export type SilenceRequest = Shape<typeof SilenceRequest>

/** `POST /api/fleet/v1/silences/preview` with `{ matchers }`. */
export const SilencePreview = Type.Object({
  asOfMs: Type.Number(),
  /** Active alerts that it would hide now, the most severe first, at most 100. */
  now: Type.Array(
    Type.Object({
      fingerprint: Type.String(),
      alertname: Type.String(),
      cluster: Type.String(),
      severity: Type.String(),
      state: Type.String(),
    }),
  ),
  nowCount: Type.Number(),
  /** Occurrences of alerts of the last seven days that it would have hidden, by name. */
  past: Type.Array(
    Type.Object({
      alertname: Type.String(),
      runs: Type.Number(),
      clusters: Type.Number(),
      lastFiredAtMs: Type.Number(),
    }),
  ),
  pastRuns: Type.Number(),
  pastFromMs: Type.Number(),
})
export type SilencePreview = Shape<typeof SilencePreview>
