import { clipped } from '../../base/clipped.ts'
import type { Clock } from '../../base/clock.ts'
import { FaultThrottle } from '../../base/fault-throttle.ts'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'

/** Of one line, in bytes of its fields. */
export const LINE_BYTES_MAX = 4096
/** Of one sentence about one route with one code. All three are from closed lists, so their number is bounded. */
export const LINES_PER_MINUTE = 10

/**
 * The log of everything that happens on behalf of requests: a sender cannot fill the disk with lines about
 * them. Further lines are counted, and long ones are cut.
 */
export function createRequestLog(log: Log, clock: Pick<Clock, 'nowMs'>, metrics: OwnMetrics): Log {
  const throttle = new FaultThrottle(LINES_PER_MINUTE)
  const limited = (to: Log): Log => {
    const line =
      (level: 'debug' | 'info' | 'warn' | 'error') =>
      (fields: object, sentence: string): void => {
        const { route = '', code = '' } = fields as { readonly route?: string; readonly code?: string }
        if (throttle.admits(`${sentence} ${route} ${code}`, clock.nowMs())) {
          to[level](clipped(fields, LINE_BYTES_MAX), sentence)
        } else metrics.logLinesSuppressed.inc({ line: sentence })
      }
    return {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      child: (fields) => limited(to.child(fields)),
    }
  }
  return limited(log)
}
