/**
 * Daytwo's own traces (`own-traces`): to itself, to any other OTLP receiver, or not at all. The SDK takes more than a second
 * and some hundred megabytes to load, so it is loaded only when it is wanted.
 *
 * Never recursive: what exports carries `OWN_TRACES_HEADER`, and a request with it is not traced, neither here nor by
 * another Daytwo it is sent to. Bounded: of all traces a share (`own-traces.ratio`), of those that wait at most
 * `QUEUE_SPANS_MAX` spans, beyond which new ones are dropped.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { NO_TRACING } from '../base/tracing.ts'
import type { Tracing } from '../base/tracing.ts'
import { urlOf } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import type { Principal } from '../model/token.ts'

/** Of a request that carries own traces; its value does not matter. */
export const OWN_TRACES_HEADER = 'x-daytwo-own-traces'

/** Some 2 MB. */
export const QUEUE_SPANS_MAX = 2048

/** A server that is to stop waits this long for its last traces to be taken. */
const FLUSH_MS_MAX = 3000

export interface OwnTraces {
  readonly tracing: Tracing
  /** Whom a token stands for that only this process has: the one with which it sends to itself. */
  authenticate(token: string): Principal | undefined
  /** Sends what waits, then tells nothing any more. Never rejects. */
  stop(): Promise<void>
}

const OFF: OwnTraces = {
  tracing: NO_TRACING,
  authenticate: () => undefined,
  stop: () => Promise.resolve(),
}

/** @param config with its real port: what goes to itself goes there */
export async function startOwnTraces(config: Config, version: string, clock: Clock, log: Log): Promise<OwnTraces> {
  const target = config['own-traces']
  if (target === 'off') return OFF
  const token = randomBytes(32).toString('base64url')
  const isSelf = target === 'self'
  const { startSdk } = await import('./own-traces-sdk.ts')
  const sdk = startSdk({
    url: `${isSelf ? urlOf(config.listen) : target}/v1/traces`,
    headers: { [OWN_TRACES_HEADER]: '1', ...(isSelf && { authorization: `Bearer ${token}` }) },
    ratio: config['own-traces.ratio'],
    queueSpansMax: QUEUE_SPANS_MAX,
    version,
    onProblem: onceAMinute(clock, (message) => {
      log.warn({ to: target, problem: message }, 'own traces were not taken')
    }),
  })
  return {
    tracing: sdk.tracing,
    authenticate: (given) => (isSelf && isSame(given, token) ? { role: 'ingest', name: 'own traces' } : undefined),
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

const MINUTE_MS = 60_000

/** A receiver that is away is away at every attempt. */
function onceAMinute(clock: Clock, tell: (message: string) => void): (message: string) => void {
  let lastMs = -Infinity
  return (message) => {
    const nowMs = clock.nowMs()
    if (nowMs - lastMs < MINUTE_MS) return
    lastMs = nowMs
    tell(message)
  }
}
