/** One of the two workers, whichever thread it is at present: its state, its failures, and the calls that wait for it. */
import type { Clock } from '../base/clock.ts'
import type { ThreadFault } from '../model/server-fault.ts'
import type { PulseWatch } from './pulse.ts'
import type { Thread } from './start-thread.ts'

export type WorkerName = ThreadFault['thread']

/** What the supervisor needs of a thread. */
export type SupervisedThread = Pick<Thread<object>, 'call' | 'post' | 'pulse' | 'hasEnded' | 'look' | 'terminate'>

interface WaitingCall {
  readonly resolve: (thread: SupervisedThread) => void
  readonly reject: (cause: Error) => void
}

/** `up`: it takes calls; `hung`: it does not answer, and takes none. */
export interface RunningState {
  readonly kind: 'up' | 'hung'
  readonly thread: SupervisedThread
  readonly watch: PulseWatch
  readonly sinceMs: number
}

type State = RunningState | { readonly kind: 'down'; readonly sinceMs: number }

/** So many failures in a row are a crash loop. */
const LOOP_FAILURES = 3

export class Supervised {
  readonly name: WorkerName
  state: State = { kind: 'down', sinceMs: 0 }
  failures = 0
  cause = ''
  nextStartMs: number | undefined
  /** When it was looked at last while it was hung, in silent milliseconds. */
  lookedAtMs = 0
  readonly #waiting = new Set<WaitingCall>()

  constructor(name: WorkerName) {
    this.name = name
  }

  get thread(): SupervisedThread | undefined {
    return this.state.kind === 'down' ? undefined : this.state.thread
  }

  /** `undefined` while it serves, unless that may end soon. */
  get fault(): ThreadFault | undefined {
    const { name, state, failures, cause, nextStartMs } = this
    const isServing = state.kind === 'up'
    const isLoop = failures >= LOOP_FAILURES
    if (isServing && !isLoop) return undefined
    const kind = isLoop ? 'crash_loop' : state.kind === 'hung' ? 'hung' : 'restarting'
    const next = nextStartMs === undefined ? {} : { nextStartMs }
    return { thread: name, state: kind, isServing, sinceMs: state.sinceMs, failures, cause, ...next }
  }

  get waitingCalls(): number {
    return this.#waiting.size
  }

  /** Resolves with the next thread. Rejects with what `refusal` returns after `waitsMs`. */
  untilUp(clock: Clock, waitsMs: number, refusal: () => Error): Promise<SupervisedThread> {
    return new Promise((resolve, reject) => {
      const cancel = clock.after(waitsMs, () => {
        this.#waiting.delete(call)
        reject(refusal())
      })
      const call: WaitingCall = {
        resolve: (thread) => {
          cancel()
          resolve(thread)
        },
        reject: (cause) => {
          cancel()
          reject(cause)
        },
      }
      this.#waiting.add(call)
    })
  }

  resolveWaiting(thread: SupervisedThread): void {
    for (const { resolve } of this.#waiting) resolve(thread)
    this.#waiting.clear()
  }

  rejectWaiting(cause: Error): void {
    for (const { reject } of this.#waiting) reject(cause)
    this.#waiting.clear()
  }
}
