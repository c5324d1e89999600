/**
 * The queue of requests that the query worker serves: so many run at one time and so many wait, each owner with a share
 * of both. The next place goes to the waiting owner with the fewest running requests, so one owner's many requests do
 * not hold up another's few.
 */
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'

export interface QueueLimits {
  /** Requests that run at one time. One owner may have half of them. */
  readonly concurrencyMax: number
  readonly waitingMax: number
  /** Of these, requests of one owner. */
  readonly ownerWaitingMax: number
  readonly waitMsMax: number
}

export interface QueueParts {
  readonly limits: QueueLimits
  readonly clock: Pick<Clock, 'after'>
  /** Called when the numbers have changed. */
  readonly onChange: (running: number, waiting: number) => void
}

interface Waiter {
  readonly start: () => void
  readonly fail: (cause: FleetError) => void
}

interface Owner {
  readonly name: string
  running: number
  /** The oldest first. */
  readonly waiting: Set<Waiter>
}

export class QueryQueue {
  readonly #parts: QueueParts
  /** Owners with requests; the one whose request started last is the last. */
  readonly #owners = new Map<string, Owner>()
  #running = 0
  #waiting = 0
  #isStopped = false

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /**
   * Resolves when the request may run, with what ends its run. Rejects with `too_many_requests` when the owner has too
   * many waiting, `overloaded` when all have or when it waited too long, `query_canceled` when the signal was aborted.
   */
  async enter(name: string, signal: AbortSignal): Promise<() => void> {
    if (this.#isStopped) throw STOPPING
    if (signal.aborted) throw new FleetError('query_canceled', 'the client disconnected before its request was queued')
    const owner = this.#owners.get(name) ?? { name, running: 0, waiting: new Set() }
    if (this.#mayRun(owner)) this.#start(owner)
    else await this.#wait(owner, signal)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#running--
      owner.running--
      this.#settle(owner)
    }
  }

  /** Refuses the requests that wait, and all later ones. */
  stop(): void {
    this.#isStopped = true
    for (const { waiting } of this.#owners.values()) for (const { fail } of waiting) fail(STOPPING)
  }

  #mayRun({ running }: Owner): boolean {
    const { concurrencyMax } = this.#parts.limits
    return this.#running < concurrencyMax && running < Math.ceil(concurrencyMax / 2)
  }

  #wait(owner: Owner, signal: AbortSignal): Promise<void> {
    const { waitingMax, ownerWaitingMax, waitMsMax } = this.#parts.limits
    const { size } = owner.waiting
    if (size >= ownerWaitingMax) {
      const message = `${size} requests of ${owner.name} wait already; query.owner-waiting-max is ${ownerWaitingMax}`
      throw new FleetError('too_many_requests', message)
    }
    if (this.#waiting >= waitingMax) {
      throw new FleetError(
        'overloaded',
        `${this.#waiting} requests are already queued; query.waiting-max is ${waitingMax}`,
      )
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting--
        owner.waiting.delete(waiter)
        stopTimer()
        signal.removeEventListener('abort', cancel)
      }
      const waiter: Waiter = {
        start: () => {
          leave()
          this.#start(owner)
          resolve()
        },
        fail: (cause) => {
          leave()
          reject(cause)
          this.#settle(owner)
        },
      }
      const cancel = (): void => {
        waiter.fail(new FleetError('query_canceled', 'the client disconnected while its request was queued'))
      }
      const stopTimer = this.#parts.clock.after(waitMsMax, () => {
        const message = `the request waited for ${waitMsMax} ms, the value of query.wait-max: other requests are running`
        waiter.fail(new FleetError('overloaded', message))
      })
      signal.addEventListener('abort', cancel, { once: true })
      this.#owners.set(owner.name, owner)
      owner.waiting.add(waiter)
      this.#waiting++
      this.#changed()
    })
  }

  #start(owner: Owner): void {
    this.#running++
    owner.running++
    this.#owners.delete(owner.name)
    this.#owners.set(owner.name, owner)
    this.#changed()
  }

  /** Gives free places to waiting requests, after a request of `left` has ended. */
  #settle(left: Owner): void {
    if (left.running === 0 && left.waiting.size === 0) this.#owners.delete(left.name)
    this.#changed()
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.start()
  }

  #next(): Waiter | undefined {
    let next: Owner | undefined
    for (const owner of this.#owners.values()) {
      if (owner.waiting.size === 0 || !this.#mayRun(owner)) continue
      if (next === undefined || owner.running < next.running) next = owner
    }
    return next?.waiting.values().next().value
  }

  #changed(): void {
    this.#parts.onChange(this.#running, this.#waiting)
  }
}

const STOPPING = new FleetError('not_ready', 'the server is stopping')
