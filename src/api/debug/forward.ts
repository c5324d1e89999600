import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { DebugForward, ForwardState } from '../../contract/debug-forward.ts'
import { processItems, type ReadDeployment } from './processes.ts'

/**
 * `GET /debug/forward`: how far samples are forwarded to the store of `store.metrics`, what that is, and what it refused; of
 * other processes, how far they are.
 */

/** Undefined: nothing is forwarded. */
export type ReadForwardState = () => Promise<ForwardState | undefined>

export function registerDebugForward(
  app: FastifyInstance,
  state: ReadForwardState,
  deployment: ReadDeployment,
  clock: Clock,
): void {
  app.get(
    '/debug/forward',
    { config: { access: 'viewer', dialect: 'own', scope: 'fleet' } },
    async (): Promise<DebugForward> => {
      const forward = await state()
      return { asOfMs: clock.nowMs(), ...(forward === undefined ? {} : { forward }), ...processItems(deployment()) }
    },
  )
}
