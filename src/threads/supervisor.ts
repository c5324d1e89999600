/**
 * Keeps the workers of the app running: a worker that dies is started again, and so is one that does not answer, after
 * its stack was logged. Calls wait meanwhile, for a bounded time. Who fails again and again waits longer and longer.
 *
 * The query worker is started again by itself. With the ingest worker both are: the head is in memory that only its writer
 * understands, so a new writer builds a new head from the log, in new memory, and a new reader reads that one. The forward worker, where there is one, reads files only: it is started again alone.
 */
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { THREAD_FAILURES, type OwnMetrics, type ThreadFailure } from '../base/metrics.ts'
import { threadFaultText, type ThreadFault } from '../model/server-fault.ts'
import { BEAT_EVERY_MS, PulseWatch } from './pulse.ts'
import type { SendCall } from './rpc.ts'
import { Supervised, type RunningState, type SupervisedThread, type WorkerName } from './supervised.ts'
import { lookText } from './thread-stack.ts'

export interface Starts {
  /** Both workers, from what is durable. */
  both(): Promise<Readonly<Record<'ingest-worker' | 'query-worker', SupervisedThread>>>
  /** Another query worker, beside an ingest worker. */
  query(ingest: SupervisedThread): Promise<SupervisedThread>
  /** The forward worker; absent: nothing is forwarded. */
  readonly forward?: () => Promise<SupervisedThread>
}

export interface SupervisorOptions {
  /** A thread that has not answered for longer is hung; `Infinity`: never. */
  readonly hungAfterMs: number
  /** Failures of a thread that ran for less than this are a row. */
  readonly stableAfterMs: number
}

export interface SupervisorParts {
  readonly starts: Starts
  readonly options: SupervisorOptions
  /** Ends the process at once: a thread cannot be ended. */
  readonly abort: () => void
  readonly clock: Clock
  /** Monotonic. */
  readonly stopwatchMs: () => number
  readonly metrics: OwnMetrics
  readonly log: Log
}

/** A thread that waits for the operating system cannot be ended: after so many times `hungAfterMs` the process is. */
export const ABORT_FACTOR = 10
const BACKOFF_MS = 1000
const BACKOFF_MS_MAX = 60_000
/** How long a call waits for a thread that is being started. */
const CALL_WAITS_MS = 10_000
const CALLS_WAITING_MAX = 1000

/** The pause before a start: none after the first failure, then a second, and twice as long each time, up to a minute. */
export function backoffMs(failures: number): number {
  return failures < 2 ? 0 : Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** (failures - 2))
}

export class Supervisor {
  readonly #parts: SupervisorParts
  readonly #workers: Readonly<Record<WorkerName, Supervised>> = {
    'ingest-worker': new Supervised('ingest-worker'),
    'query-worker': new Supervised('query-worker'),
    'forward-worker': new Supervised('forward-worker'),
  }
  readonly #all: readonly Supervised[]
  #isStopping = false
  #recovering: Promise<void> | undefined
  /** Ends the pause before a start. */
  #wake: () => void = () => undefined
  #cancelLook: () => void = () => undefined
  #onChange: () => void = () => undefined

  constructor(parts: SupervisorParts) {
    this.#parts = parts
    this.#all = Object.values(this.#workers).filter(({ name }) => name !== 'forward-worker' || parts.starts.forward)
    if (parts.starts.forward === undefined) return
    // From the start, so that the first failure is an increase.
    for (const reason of THREAD_FAILURES) parts.metrics.threadFailures.inc({ thread: 'forward-worker', reason }, 0)
  }

  /** The first start. Rejects when it fails: nothing is tried again. */
  async start(): Promise<void> {
    const { starts } = this.#parts
    this.#setUpBoth(await starts.both())
    if (starts.forward !== undefined) this.#setUp(this.#workers['forward-worker'], await starts.forward())
    this.#planLook()
    this.#recover()
  }

  /** Calls a worker, or waits until it is there. Rejects with FleetError `not_ready` when that takes too long. */
  callOf(name: WorkerName): SendCall {
    const worker = this.#workers[name]
    return (target, args) => {
      const { state } = worker
      if (state.kind === 'up') return state.thread.call(target, args)
      return this.#whenUp(worker).then((thread) => thread.call(target, args))
    }
  }

  /** Whether the worker takes calls now. */
  isUp(name: WorkerName): boolean {
    return this.#workers[name].state.kind === 'up'
  }

  faults(): readonly ThreadFault[] {
    return this.#all.flatMap(({ fault }) => fault ?? [])
  }

  /** @param listener called when `faults` has changed */
  onChange(listener: () => void): void {
    this.#onChange = listener
  }

  /** The thread of this worker has ended by itself. */
  died(name: WorkerName, cause: Error): void {
    const worker = this.#workers[name]
    // One that is being started rejects its start instead.
    if (worker.thread?.hasEnded === true) this.#died(worker, messageOf(cause))
  }

  /** From now on nothing is started again; a thread that hangs is still ended, after a longer time. */
  async stopRestarts(): Promise<void> {
    this.#isStopping = true
    this.#wake()
    await this.#recovering
    for (const worker of this.#all) if (worker.state.kind === 'down') worker.rejectWaiting(this.#refusal(worker))
  }

  /** Ends the thread of a worker, which must have closed its resources. */
  async end(name: WorkerName): Promise<void> {
    await this.#end(this.#workers[name])
    if (this.#all.every(({ thread }) => thread === undefined)) this.#cancelLook()
  }

  #whenUp(worker: Supervised): Promise<SupervisedThread> {
    const { clock } = this.#parts
    const waitsMs = worker.nextStartMs === undefined ? 0 : worker.nextStartMs - clock.nowMs()
    const isInVain = this.#isStopping || worker.state.kind === 'hung' || waitsMs > CALL_WAITS_MS
    if (isInVain || worker.waitingCalls >= CALLS_WAITING_MAX) return Promise.reject(this.#refusal(worker))
    return worker.untilUp(clock, CALL_WAITS_MS, () => this.#refusal(worker))
  }

  #refusal({ fault, name }: Supervised): FleetError {
    const text = fault === undefined ? `the ${name} has stopped` : threadFaultText(fault, this.#parts.clock.nowMs())
    return new FleetError('not_ready', text, { hint: 'retry in a few seconds; the log of the server has the cause' })
  }

  #setUpBoth(both: Awaited<ReturnType<Starts['both']>>): void {
    for (const name of ['ingest-worker', 'query-worker'] as const) this.#setUp(this.#workers[name], both[name])
  }

  #setUp(worker: Supervised, thread: SupervisedThread): void {
    const watch = new PulseWatch(thread.pulse)
    worker.state = { kind: 'up', thread, watch, sinceMs: this.#parts.clock.nowMs() }
    worker.nextStartMs = undefined
    worker.lookedAtMs = 0
    if (thread.hasEnded) {
      // Between its start and now.
      this.#died(worker, 'it ended as soon as it was started')
      return
    }
    worker.resolveWaiting(thread)
    this.#changed(worker)
  }

  #setDown(worker: Supervised): void {
    worker.state = { kind: 'down', sinceMs: this.#parts.clock.nowMs() }
    this.#changed(worker)
  }

  #changed({ name, state, fault }: Supervised): void {
    const { threadUp, threadCrashLoop } = this.#parts.metrics
    threadUp.set({ thread: name }, state.kind === 'up' ? 1 : 0)
    threadCrashLoop.set({ thread: name }, fault?.state === 'crash_loop' ? 1 : 0)
    this.#onChange()
  }

  #count({ name }: Supervised, reason: ThreadFailure): void {
    this.#parts.metrics.threadFailures.inc({ thread: name, reason })
  }

  #died(worker: Supervised, cause: string): void {
    this.#count(worker, 'died')
    this.#failed(worker, cause)
  }

  #failed(worker: Supervised, cause: string): void {
    worker.failures++
    worker.cause = cause
    this.#setDown(worker)
    this.#recover()
  }

  #recover(): void {
    if (this.#recovering !== undefined || this.#isStopping) return
    if (this.#all.every(({ state }) => state.kind !== 'down')) return
    this.#recovering = this.#restart().finally(() => {
      this.#recovering = undefined
      this.#recover()
    })
  }

  /** One attempt. */
  async #restart(): Promise<void> {
    const { starts, clock, log } = this.#parts
    const { 'ingest-worker': ingest, 'query-worker': query } = this.#workers
    const worker = this.#all.find(({ state }) => state.kind === 'down')!
    const delayMs = backoffMs(worker.failures)
    if (delayMs > 0) {
      worker.nextStartMs = clock.nowMs() + delayMs
      if (delayMs > CALL_WAITS_MS) worker.rejectWaiting(this.#refusal(worker))
      this.#changed(worker)
      await this.#pause(delayMs)
      worker.nextStartMs = undefined
    }
    if (this.#isStopping) return
    try {
      // Or the ingest worker has died in the meantime.
      if (worker.name === 'forward-worker' && starts.forward !== undefined) this.#setUp(worker, await starts.forward())
      else if (ingest.thread === undefined) {
        if (query.thread !== undefined) {
          query.cause = 'it is started together with the ingest worker'
          await this.#end(query)
        }
        this.#setUpBoth(await starts.both())
      } else this.#setUp(query, await starts.query(ingest.thread))
      log.warn({ thread: worker.name, failures: worker.failures }, 'a thread was restarted')
    } catch (thrown) {
      log.error({ thread: worker.name, err: thrown }, 'a thread could not be restarted; the server retries')
      this.#count(worker, 'start')
      this.#failed(worker, messageOf(thrown))
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  #planLook(): void {
    const cancel = this.#parts.clock.after(BEAT_EVERY_MS, () => {
      void this.look().then(() => {
        if (!isCanceled) this.#planLook()
      })
    })
    let isCanceled = false
    this.#cancelLook = () => {
      isCanceled = true
      cancel()
    }
  }

  /** Looks at all threads once. */
  async look(): Promise<void> {
    for (const worker of this.#all) await this.#lookAt(worker)
  }

  async #lookAt(worker: Supervised): Promise<void> {
    const { options, clock, stopwatchMs } = this.#parts
    const { state } = worker
    if (state.kind === 'down') return
    // What is written at the end takes its time.
    const hungAfterMs = options.hungAfterMs * (this.#isStopping ? ABORT_FACTOR : 1)
    const silentMs = state.watch.silentMs(stopwatchMs())
    if (silentMs >= hungAfterMs + options.hungAfterMs * ABORT_FACTOR) this.#abort(worker)
    else if (silentMs >= hungAfterMs && silentMs - worker.lookedAtMs >= hungAfterMs) {
      worker.lookedAtMs = silentMs
      await this.#onSilent(worker, state, silentMs)
    } else if (silentMs === 0) {
      worker.lookedAtMs = 0
      if (state.kind === 'hung') this.#answersAgain(worker, state)
      else if (worker.failures > 0 && clock.nowMs() - state.sinceMs >= options.stableAfterMs) {
        worker.failures = 0
        this.#changed(worker)
      }
    }
  }

  async #onSilent(worker: Supervised, state: RunningState, silentMs: number): Promise<void> {
    const { clock, stopwatchMs, log } = this.#parts
    if (state.kind === 'up') {
      this.#count(worker, 'hung')
      worker.cause = 'it does not answer'
      worker.state = { ...state, kind: 'hung', sinceMs: clock.nowMs() - silentMs }
      this.#changed(worker)
    }
    const look = await state.thread.look()
    if (worker.thread !== state.thread) return
    if (state.watch.silentMs(stopwatchMs()) === 0) {
      this.#answersAgain(worker, state)
      return
    }
    const fields = { thread: worker.name, silentSeconds: silentMs / 1000, stack: lookText(look) }
    if (look.kind === 'native') {
      // Ending it would have to wait for the same call, and then nothing would be gained.
      log.error(fields, 'a thread does not answer')
      return
    }
    log.error(fields, 'a thread does not answer and is restarted')
    await this.#end(worker)
    this.#failed(worker, `it did not answer for ${Math.round(silentMs / 1000)} s`)
  }

  #answersAgain(worker: Supervised, { thread, watch }: RunningState): void {
    this.#parts.log.warn({ thread: worker.name }, 'a thread answers again')
    worker.lookedAtMs = 0
    worker.state = { kind: 'up', thread, watch, sinceMs: this.#parts.clock.nowMs() }
    this.#changed(worker)
  }

  /** Ends the thread of a worker; the process when that takes too long. */
  async #end(worker: Supervised): Promise<void> {
    const { thread } = worker
    if (thread === undefined) return
    const { clock, options } = this.#parts
    let cancel: () => void = () => undefined
    // Second by second: while the whole process was suspended, the thread was too.
    const watch = (leftMs: number): void => {
      cancel = clock.after(BEAT_EVERY_MS, () => {
        if (leftMs > 0) watch(leftMs - BEAT_EVERY_MS)
        else this.#abort(worker)
      })
    }
    watch(options.hungAfterMs * ABORT_FACTOR)
    await thread.terminate()
    cancel()
    this.#setDown(worker)
  }

  #abort({ name }: Supervised): void {
    this.#parts.log.error({ thread: name }, 'a thread cannot be terminated: the process exits to be restarted')
    this.#parts.abort()
  }
}
