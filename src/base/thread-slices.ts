/**
 * Long work holds the thread for a slice at a time. All work of requests shares one turn per round of the event loop, in
 * the order in which it yielded: however many requests run, work with a turn of its own (rules, the fleet loop) waits for
 * one slice of theirs, and so does a message from another thread.
 */
import { setImmediate as nextRound } from 'node:timers/promises'
import type { Cancellation } from './cancellation.ts'
import { FleetError } from './errors.ts'

/** How long a loop may hold the thread. */
const SLICE_MS = 25

/** Yields the thread; resolves when the work continues. */
export type Yield = () => Promise<void>

/** For the work of requests: resolves in a round of its own, after all that yielded before. */
export const sharedTurn: Yield = () =>
  new Promise((resolve) => {
    if (yielded.push(resolve) === 1) setImmediate(resumeNext)
  })

/**
 * For the start of work of a request: `undefined`, start now. Starts that find the thread free take no round each; once
 * they have had it for a slice, or when work waits, they take the shared turn.
 */
export function startTurn(): Promise<void> | undefined {
  if (yielded.length === 0 && performance.now() - startsSinceMs < SLICE_MS) return undefined
  return sharedTurn().then(() => {
    startsSinceMs = performance.now()
  })
}

/** Since when work starts without a turn. */
let startsSinceMs = -Infinity

/** For work that does not queue behind requests: resolves in the next round. */
export const ownTurn: Yield = () => nextRound()

const yielded: (() => void)[] = []

/** Of this time the thread is free after each slice of requests, for answers that the work ahead of them waits for. */
const PAUSE_MS = 10

/** Work that runs ahead of requests. */
let ahead = 0
/** When the work of requests last paused. */
let pausedMs = -Infinity

/**
 * Runs work for which requests pause after each slice. An answer of another process or thread takes a round of the event
 * loop, and beside long requests each round lasts for a slice: work that reads fifty times would take seconds.
 */
export async function aheadOfRequests<T>(work: () => Promise<T>): Promise<T> {
  ahead++
  try {
    return await work()
  } finally {
    ahead--
  }
}

function resumeNext(): void {
  if (ahead > 0 && performance.now() - pausedMs >= SLICE_MS) {
    setTimeout(() => {
      pausedMs = performance.now()
      resumeNext()
    }, PAUSE_MS)
    return
  }
  const resume = yielded.shift()
  // Of the next round: an immediate that is set in one does not run in the same.
  if (yielded.length > 0) setImmediate(resumeNext)
  resume?.()
}

/** The time that work has held the thread. One for all loops of a request. */
export class Slice {
  readonly #turn: Yield
  #startedMs = performance.now()

  constructor(turn: Yield = sharedTurn) {
    this.#turn = turn
  }

  get isOver(): boolean {
    return performance.now() - this.#startedMs >= SLICE_MS
  }

  /** Rejects with `query_canceled` when nobody waits for the result any more. */
  async next(signal?: Cancellation): Promise<void> {
    await this.#turn()
    if (signal?.aborted === true) throw new FleetError('query_canceled', 'the client left before the answer was ready')
    this.#startedMs = performance.now()
  }
}

/**
 * Runs `work` on each item in order, on the shared turn. A single item is not interrupted. Rejects with what `work`
 * throws, and as `Slice.next` does.
 */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  signal?: Cancellation,
  slice = new Slice(),
): Promise<void> {
  for (const item of items) {
    work(item)
    if (slice.isOver) await slice.next(signal)
  }
}

/**
 * Long work in steps, between which other work may run. A step yields whether to pause now, because it put off work that
 * others wait for; otherwise the pause comes when the slice is over.
 */
export type Steps<T> = Generator<boolean | undefined, T, undefined>

/** Runs steps with pauses. Rejects with what a step or a pause throws, and runs no further step then. */
export async function inSlices<T>(steps: Steps<T>, pause: () => Promise<unknown>): Promise<T> {
  let startedMs = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value !== true && performance.now() - startedMs < SLICE_MS) continue
    await pause()
    startedMs = performance.now()
  }
}

/** Runs steps in one piece: for few items. */
export function withoutPause<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Items of one step: at 10 us each, a few milliseconds. */
const ITEMS_PER_STEP = 256

/** Runs `work` on each item in order. */
export function* eachInSteps<T>(items: Iterable<T>, work: (item: T) => void): Steps<void> {
  let left = ITEMS_PER_STEP
  for (const item of items) {
    work(item)
    if (--left > 0) continue
    yield
    left = ITEMS_PER_STEP
  }
}

export function* mapInSteps<T, U>(items: Iterable<T>, map: (item: T) => U): Steps<U[]> {
  const mapped: U[] = []
  yield* eachInSteps(items, (item) => {
    mapped.push(map(item))
  })
  return mapped
}
