import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** `GET /debug/notify`: each group with the last notification decision about each of its alerts, and the reason. */
export const DebugNotify = Type.Object({
  asOfMs: Type.Number(),
  /** The name of the configuration file, if any. */
  configFile: Type.Optional(Type.String()),
  groups: Type.Array(
    Type.Object({
      groupKey: Type.String(),
      receiver: Type.String(),
      labels: Type.Record(Type.String(), Type.String()),
      nextFlushMs: Type.Number(),
      mutedBy: Type.Array(Type.String()),
      alerts: Type.Array(
        Type.Object({
          fingerprint: Type.String(),
          alertname: Type.String(),
          state: Type.String(),
          sends: Type.Boolean(),
          reason: Type.String(),
          atMs: Type.Number(),
        }),
      ),
    }),
  ),
})
export type DebugNotify = Shape<typeof DebugNotify>
