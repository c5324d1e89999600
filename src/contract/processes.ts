import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** `DELETE /api/fleet/v1/processes/:name`. */
export const RemovedProcess = Type.Object({ name: Type.String() })
export type RemovedProcess = Shape<typeof RemovedProcess>
