/**
 * Daytwo's own traces (`own-traces`): sent to itself, to another OTLP receiver, or off. The SDK takes more than a second
 * and some hundred megabytes to load, so it is loaded only when own traces are on.
 *
 * Never recursive: an export request carries `OWN_TRACES_HEADER`, and a Daytwo that receives this header does not trace
 * the request. Bounded: a share of all traces is sampled (`own-traces.ratio`), and at most `QUEUE_SPANS_MAX` spans wait
 * for export; further ones are dropped.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import { NO_TRACING, type Tracing } from '../base/tracing.ts'
import { schemeOf, urlOf, type Config } from '../config/config.ts'
import type { Principal } from '../model/token.ts'

/** The header of an export request; its value does not matter. */
export const OWN_TRACES_HEADER = 'x-daytwo-own-traces'

/** About 2 MB. */
export const QUEUE_SPANS_MAX = 2048

/** How long a stopping server waits for its last export. */
const FLUSH_MS_MAX = 3000

export interface OwnTraces {
  readonly tracing: Tracing
  /** The principal of the token, known only to this process, with which it sends traces to itself. */
  authenticate(token: string): Principal | undefined
  /** Exports the waiting spans, then stops tracing. Never rejects. */
  stop(): Promise<void>
}

const OWN: Principal = { role: 'ingest', name: 'own traces', via: 'process' }

const OFF: OwnTraces = {
  tracing: NO_TRACING,
  authenticate: () => undefined,
  stop: () => Promise.resolve(),
}

/** @param config with the real port, to which own traces for `self` are sent */
export async function startOwnTraces(config: Config, version: string, clock: Clock, log: Log): Promise<OwnTraces> {
  const target = config['own-traces']
  if (target === 'off') return OFF
  const token = randomBytes(32).toString('base64url')
  const isSelf = target === 'self'
  const { startSdk } = await import('./own-traces-sdk.ts')
  const throttle = new FaultThrottle()
  const sdk = startSdk({
    url: `${isSelf ? urlOf(config.listen, schemeOf(config)) : target}/v1/traces`,
    isSelf,
    headers: { [OWN_TRACES_HEADER]: '1', ...(isSelf && { authorization: `Bearer ${token}` }) },
    ratio: config['own-traces.ratio'],
    queueSpansMax: QUEUE_SPANS_MAX,
    version,
    onProblem: (message) => {
      // An unavailable receiver fails every export: one line a minute is enough, whatever the message.
      if (throttle.admits('', clock.nowMs())) log.warn({ to: target, problem: message }, 'own traces were not taken')
    },
  })
  return {
    tracing: sdk.tracing,
    authenticate: (given) => (isSelf && isSame(given, token) ? OWN : undefined),
    stop: async () => {
      let cancel = (): void => undefined
      const late = new Promise<void>((resolve) => {
        cancel = clock.after(FLUSH_MS_MAX, resolve)
      })
      await Promise.race([sdk.stop().catch(() => undefined), late])
      cancel()
    },
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
