import { Type, type Static } from 'typebox'

/** `/api/ui/v1/settings`: what the page must know before it can start. Public to whoever may view. */
export const UiSettings = Type.Object({
  version: Type.String(),
  /** Faro's `/collect` on the same origin; absent when browser telemetry is off. */
  faroUrl: Type.Optional(Type.String()),
  /** True when the server was started by `daytwo demo`: data is simulated, and the page says so. */
  isDemo: Type.Boolean(),
  /** Address under which people reach this server, without a slash at the end. */
  externalUrl: Type.String(),
})
export type UiSettings = Static<typeof UiSettings>

/** The error body of Daytwo's own routes. */
export const OwnError = Type.Object({
  error: Type.String(),
  code: Type.String(),
  hint: Type.Optional(Type.String()),
})
export type OwnError = Static<typeof OwnError>
