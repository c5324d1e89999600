import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { DebugForward, ForwardState } from '../../contract/debug-forward.ts'

/** `GET /debug/forward`: how far samples are forwarded to the store of `store.metrics`, what that is, and what it refused. */

/** Undefined: nothing is forwarded. */
export type ReadForwardState = () => Promise<ForwardState | undefined>

export function registerDebugForward(app: FastifyInstance, state: ReadForwardState, clock: Clock): void {
  app.get(
    '/debug/forward',
    { config: { access: 'viewer', dialect: 'own', scope: 'fleet' } },
    async (): Promise<DebugForward> => {
      const forward = await state()
      return { asOfMs: clock.nowMs(), ...(forward === undefined ? {} : { forward }) }
    },
  )
}
