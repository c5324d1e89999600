/**
 * The evaluation cycle: steps in a fixed order (facts, rules, user actions, notifications), all with the same `nowMs`. A
 * cycle that takes long delays the next one; cycles never overlap. Each is of a whole second: it runs then, or as soon as the
 * cycle before it is done.
 */
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'

/** On whole seconds, when rule groups are evaluated. */
const CYCLE_EVERY_MS = 1000

interface EvaluationCycle {
  /** Starts periodic cycles. */
  start(): void
  /** Runs one cycle at the clock's present time, after the current one. */
  once(): Promise<void>
  /** Resolves when the cycle that runs, if any, is done; no further one starts. */
  stop(): Promise<void>
}

export type CycleStep = (nowMs: number) => Promise<void>

/** A step that fails is logged, each failure once a minute, and the steps after it still run. */
export function createEvaluationCycle(
  clock: Clock,
  steps: readonly (readonly [string, CycleStep])[],
  log: Log,
): EvaluationCycle {
  const throttle = new FaultThrottle()
  let underWay = Promise.resolve()
  let isStopped = false
  let cancel: (() => void) | undefined
  let lastMs = -Infinity

  const run = async (nowMs: number): Promise<void> => {
    for (const [name, step] of steps) {
      try {
        await step(nowMs)
      } catch (thrown) {
        const fault = thrown instanceof FleetError ? thrown.code : messageOf(thrown)
        if (!throttle.admits(`${name}: ${fault}`, nowMs)) continue
        log.error({ step: name, err: thrown }, 'step of the evaluation cycle failed')
      }
    }
  }
  const runAt = (timeMs: () => number): Promise<void> => {
    underWay = underWay.then(() => (isStopped ? undefined : run(timeMs())))
    return underWay
  }
  const plan = (): void => {
    if (isStopped) return
    const nowMs = clock.nowMs()
    const secondMs = secondOf(nowMs)
    // A timer may fire early, which must not evaluate a second twice. A clock that was set back restarts the count.
    const isSetBack = lastMs - secondMs > CYCLE_EVERY_MS
    const nextMs = isSetBack ? secondMs + CYCLE_EVERY_MS : Math.max(secondMs, lastMs + CYCLE_EVERY_MS)
    cancel = clock.after(Math.max(0, nextMs - nowMs), () => {
      lastMs = Math.max(nextMs, secondOf(clock.nowMs()))
      void runAt(() => lastMs).then(plan)
    })
  }
  return {
    start: () => {
      lastMs = secondOf(clock.nowMs())
      plan()
    },
    once: () => runAt(() => clock.nowMs()),
    stop: async () => {
      isStopped = true
      cancel?.()
      await underWay
    },
  }
}

function secondOf(timeMs: number): number {
  return Math.floor(timeMs / CYCLE_EVERY_MS) * CYCLE_EVERY_MS
}
