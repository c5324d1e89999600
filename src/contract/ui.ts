import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** `/api/ui/v1/settings`: the settings that the page needs to start. */
export const UiSettings = Type.Object({
  version: Type.String(),
  /** Faro's `/collect` on the same origin; absent when browser telemetry is off. */
  faroUrl: Type.Optional(Type.String()),
  /** True when `daytwo demo` started the server: data is simulated, and the page shows it. */
  isDemo: Type.Boolean(),
  /** The external URL of this server, without a trailing slash. */
  externalUrl: Type.String(),
  /** Who sent the request; absent on an open server. */
  signedIn: Type.Optional(
    Type.Object({
      name: Type.String(),
      role: Type.String(),
      /** A session can be signed out of; the others end elsewhere. */
      via: Type.Union([Type.Literal('session'), Type.Literal('proxy'), Type.Literal('token')]),
      /** The clusters of each role, as selectors; empty: all. Absent: every role is over all clusters. */
      scopes: Type.Optional(Type.Array(Type.Object({ role: Type.String(), clusters: Type.String() }))),
      /** Those that are shown and not gone; absent: all of the fleet are shown. */
      clusters: Type.Optional(Type.Integer()),
    }),
  ),
})
export type UiSettings = Shape<typeof UiSettings>

/** `POST /api/ui/v1/sign-out`: the session has ended. */
export const SignedOut = Type.Object({
  /** Where the browser goes next: to the identity provider, so that the person is signed out there too. */
  to: Type.String(),
})
export type SignedOut = Shape<typeof SignedOut>

/** The error body of Daytwo's own routes. */
export const OwnError = Type.Object({
  error: Type.String(),
  code: Type.String(),
  hint: Type.Optional(Type.String()),
})
export type OwnError = Shape<typeof OwnError>
