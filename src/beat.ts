/**
 * The heart: at each beat, and with one and the same `nowMs`, first the fleet's facts, then the rules, then the
 * notifications. A beat that takes long delays the next one; beats never overlap.
 */
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'

/** Often enough that a group's due time is met within a second. */
const BEAT_EVERY_MS = 1000

export interface Beat {
  /** Beats by itself from now on. */
  start(): void
  /** One beat at the clock's present time; waits for the one under way. */
  once(): Promise<void>
  /** Resolves when the beat under way, if any, is done; no further one starts. */
  stop(): Promise<void>
}

export type BeatStep = (nowMs: number) => Promise<void>

/** A step that fails is logged, and the steps after it still run. */
export function createBeat(clock: Clock, steps: readonly (readonly [string, BeatStep])[], log: Log): Beat {
  let underWay = Promise.resolve()
  let isStopped = false
  let cancel: (() => void) | undefined

  const run = async (): Promise<void> => {
    const nowMs = clock.nowMs()
    for (const [name, step] of steps) {
      try {
        await step(nowMs)
      } catch (thrown) {
        log.error({ step: name, err: thrown }, 'step of the beat failed')
      }
    }
  }
  const once = (): Promise<void> => {
    underWay = underWay.then(() => (isStopped ? undefined : run()))
    return underWay
  }
  const plan = (): void => {
    if (isStopped) return
    cancel = clock.after(BEAT_EVERY_MS, () => {
      void once().then(plan)
    })
  }
  return {
    start: plan,
    once,
    stop: async () => {
      isStopped = true
      cancel?.()
      await underWay
    },
  }
}
