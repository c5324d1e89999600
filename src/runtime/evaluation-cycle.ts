/**
 * The heart: at each beat, and with one and the same `nowMs`, first the fleet's facts, then the rules, then the
 * notifications. A beat that takes long delays the next one; beats never overlap. Each is at a whole second.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** On whole seconds, which is where groups of rules have their beats. */
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
  let lastMs = -Infinity

  const run = async (nowMs: number): Promise<void> => {
    for (const [name, step] of steps) {
      try {
        await step(nowMs)
      } catch (thrown) {
        log.error({ step: name, err: thrown }, 'step of the beat failed')
      }
    }
  }
  const beatAt = (timeMs: () => number): Promise<void> => {
    underWay = underWay.then(() => (isStopped ? undefined : run(timeMs())))
    return underWay
  }
  const plan = (): void => {
    if (isStopped) return
    const nowMs = clock.nowMs()
    const secondMs = secondOf(nowMs)
    // A timer may run a moment early: no second is beaten twice for that. A clock that was set back begins anew.
    const isSetBack = lastMs - secondMs > BEAT_EVERY_MS
    const nextMs = (isSetBack ? secondMs : Math.max(secondMs, lastMs)) + BEAT_EVERY_MS
    cancel = clock.after(nextMs - nowMs, () => {
      lastMs = Math.max(nextMs, secondOf(clock.nowMs()))
      void beatAt(() => lastMs).then(plan)
    })
  }
  return {
    start: plan,
    once: () => beatAt(() => clock.nowMs()),
    stop: async () => {
      isStopped = true
      cancel?.()
      await underWay
    },
  }
}

function secondOf(timeMs: number): number {
  return Math.floor(timeMs / BEAT_EVERY_MS) * BEAT_EVERY_MS
}
