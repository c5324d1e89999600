import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'

/** What the queue needs to know of a piece of work. */
export interface Queued {
  /** Who sent it, compared by identity, and what kind of sender that is. */
  readonly owner: { readonly kind: string }
  /** The cost of the work. */
  readonly bytes: number
  /** Calls `listener` when nobody waits for the result any more. Returns how to cancel that. */
  whenGone(listener: () => void): () => void
}

interface Entry {
  readonly bytes: number
  readonly sinceMs: number
  readonly start: () => void
  readonly refuse: (why: string) => void
}

interface FairQueueOptions {
  /** Of the work that runs at one time. Larger work runs alone. */
  readonly bytesMax: number
  /** Work that waited for longer is refused. */
  readonly waitMsMax: number
  readonly clock: Clock
  /** Called for each refusal. */
  readonly onRefused: (ownerKind: string) => void
}

/** How often the age of waiting work is checked. */
const CHECK_EVERY_MS = 1000

/**
 * Runs work of many owners, a bounded amount at a time. Work that has to wait is started owner by owner in turn, so an
 * owner with much work delays the others by one piece each. No work waits for ever: it is refused (`overloaded`) when it
 * waited too long, or when nobody waits for its result any more.
 */
export class FairQueue {
  readonly #options: FairQueueOptions
  /** Of each owner in order of arrival; the owner whose turn is next comes first. No list is empty. */
  readonly #waiting = new Map<object, Entry[]>()
  #runningBytes = 0
  #isChecking = false

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** HOT: once per request, which as a rule does not wait. Settles as `work` does. */
  run<T>(queued: Queued, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.size === 0 && this.#hasRoom(queued.bytes)) return this.#start(queued.bytes, work)
    return new Promise((resolve, reject) => {
      this.#enqueue(queued, reject, () => {
        this.#start(queued.bytes, work).then(resolve, reject)
      })
    })
  }

  #hasRoom(bytes: number): boolean {
    return this.#runningBytes === 0 || this.#runningBytes + bytes <= this.#options.bytesMax
  }

  #start<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#runningBytes += bytes
    const done = (): void => {
      this.#runningBytes -= bytes
      if (this.#waiting.size > 0) this.#startWaiting()
    }
    const running = work()
    running.then(done, done)
    return running
  }

  #startWaiting(): void {
    for (;;) {
      const [owner, entries] = this.#waiting.entries().next().value ?? []
      if (owner === undefined || entries === undefined || !this.#hasRoom(entries[0]!.bytes)) return
      const { start } = entries.shift()!
      // Behind all other owners.
      this.#waiting.delete(owner)
      this.#keep(owner, entries)
      start()
    }
  }

  #enqueue(queued: Queued, reject: (cause: Error) => void, start: () => void): void {
    const { owner, bytes } = queued
    const refuse = (why: string): void => {
      forget()
      this.#options.onRefused(owner.kind)
      reject(new FleetError('overloaded', why))
    }
    const entry: Entry = {
      ...{ bytes, refuse, sinceMs: this.#options.clock.nowMs() },
      start: () => {
        forget()
        start()
      },
    }
    const forget = queued.whenGone(() => {
      this.#keep(owner, this.#waiting.get(owner)?.filter((other) => other !== entry) ?? [])
      refuse('the sender left while its request waited')
      this.#startWaiting()
    })
    const entries = this.#waiting.get(owner)
    if (entries === undefined) this.#waiting.set(owner, [entry])
    else entries.push(entry)
    this.#planCheck()
  }

  #keep(owner: object, entries: Entry[]): void {
    if (entries.length > 0) this.#waiting.set(owner, entries)
    else this.#waiting.delete(owner)
  }

  #planCheck(): void {
    if (this.#isChecking) return
    this.#isChecking = true
    this.#options.clock.after(CHECK_EVERY_MS, () => {
      this.#isChecking = false
      this.#refuseOld()
      if (this.#waiting.size > 0) this.#planCheck()
    })
  }

  #refuseOld(): void {
    const { clock, waitMsMax } = this.#options
    const nowMs = clock.nowMs()
    for (const [owner, entries] of [...this.#waiting]) {
      const left = entries.filter(({ sinceMs }) => nowMs - sinceMs <= waitMsMax)
      this.#keep(owner, left)
      for (const { refuse } of entries.slice(0, entries.length - left.length)) {
        refuse(`the request waited for more than ingest.wait-max, ${waitMsMax} ms`)
      }
    }
    this.#startWaiting()
  }
}
