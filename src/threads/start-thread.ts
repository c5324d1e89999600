/**
 * Starts a worker thread from a file beside this one and waits until the thread is ready. Under `tsx` and in tests the
 * files are TypeScript and the thread registers the same loader; after a build they are JavaScript.
 */
import { MessageChannel, Worker, type MessagePort, type Transferable } from 'node:worker_threads'
import { FleetError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { BEAT_EVERY_MS, createPulse, PulseWatch } from './pulse.ts'
import { createCaller, revive, type CarriedFailure, type Remote, type SendCall, type Services } from './rpc.ts'
import { lookAtWorker, lookText, type ThreadLook } from './thread-stack.ts'

/** The first message of a worker. */
export type ThreadHello = { readonly ready: true } | { readonly failed: CarriedFailure }

export interface Thread<S extends Services> {
  readonly remote: Remote<S>
  /** What `remote` is made of. */
  readonly call: SendCall
  readonly pulse: Int32Array
  /** In any way: it died, or `terminate` was called. */
  readonly hasEnded: boolean
  /** A message that is no call. */
  post(message: unknown, transfer: readonly Transferable[]): void
  /** What it is doing, when it does not answer. */
  look(): Promise<ThreadLook>
  /**
   * Ends the thread at once; close its resources first. Calls without an answer reject as `not_ready`. Resolves when it has
   * ended: a thread that waits for the operating system ends when that answers.
   */
  terminate(): Promise<void>
}

interface ThreadSpec {
  readonly file:
    | 'ingest-worker'
    | 'query-worker'
    | 'forward-worker'
    | 'rule-tests-worker'
    | 'scrub-worker'
    | 'shipping-worker'
    | 'main-watch-worker'
  /** The worker also gets its pulse (`Pulsing`). */
  readonly workerData: object
  readonly transfer?: readonly Transferable[]
  readonly log: Log
  /** Absent: it may take any time. */
  readonly startWithinMs?: number | undefined
  /** The start fails when the thread has not beaten for so long. Absent: it beats from when it is ready. */
  readonly startSilentMsMax?: number
  /**
   * Aborted when the thread that this one waits for has ended: then the start fails. A port of a thread that ended before this one
   * listened is silent for ever.
   */
  readonly waitsFor?: AbortSignal
  /** Called when the thread has ended in any way, with what its calls reject with. */
  readonly onEnd?: (cause: Error) => void
  /** Called when the thread ends unexpectedly: a bug, or out of memory. */
  readonly onDeath: (cause: Error) => void
}

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** Resolves when the thread is ready; rejects with its own failure when it could not start. */
export function startThread<S extends Services>(spec: ThreadSpec): Promise<Thread<S>> {
  const url = new URL(`./${spec.file}${EXTENSION}`, import.meta.url)
  const pulse = createPulse()
  const worker = new Worker(EXTENSION === '.ts' ? loadWithTsx(url) : url, {
    name: spec.file,
    workerData: { ...spec.workerData, pulse },
    transferList: [...(spec.transfer ?? [])],
    eval: EXTENSION === '.ts',
  })
  let isEnding = false
  let hasEnded = false
  return new Promise((resolve, reject) => {
    const caller = createCaller<S>(worker)
    let isWaiting = true
    const stopWaiting = (): void => {
      isWaiting = false
      clearTimeout(late)
      clearInterval(silence)
      waitsFor?.removeEventListener('abort', isInVain)
    }
    const die = (cause: Error): void => {
      stopWaiting()
      reject(cause)
      hasEnded = true
      const message = `the ${titleOf(spec.file)} ended before it answered`
      const failure = new FleetError('not_ready', message, { hint: 'retry in a few seconds', cause })
      caller.fail(failure)
      spec.onEnd?.(failure)
      if (isEnding) return
      isEnding = true
      spec.log.error({ thread: spec.file, err: cause }, 'thread died')
      spec.onDeath(cause)
    }
    let cause: Error | undefined
    worker.on('error', (thrown: Error) => {
      cause = thrown
    })
    // Not before: until then it holds its files.
    worker.on('exit', (exitCode) => {
      die(cause ?? new Error(`thread ${spec.file} ended with code ${exitCode}`))
    })
    const fail = (failure: Error): void => {
      stopWaiting()
      isEnding = true
      cause = failure
      void worker.terminate()
    }
    const { startWithinMs, startSilentMsMax = Infinity, waitsFor } = spec
    const isInVain = (): void => {
      fail(new FleetError('not_ready', `the thread that the ${titleOf(spec.file)} waited for has ended`))
    }
    const late = setTimeout(
      () => {
        fail(new FleetError('not_ready', `the ${titleOf(spec.file)} was not ready after ${String(startWithinMs)} ms`))
      },
      startWithinMs ?? 2 ** 31 - 1,
    )
    const watch = new PulseWatch(pulse)
    let isLooking = false
    const silence = setInterval(() => {
      const silentMs = watch.silentMs(performance.now())
      if (silentMs < startSilentMsMax || isLooking) return
      isLooking = true
      void lookAtWorker(worker).then((look) => {
        isLooking = false
        // A call of the operating system cannot be ended.
        if (!isWaiting || look.kind === 'native' || watch.silentMs(performance.now()) === 0) return
        const silentSeconds = Math.round(silentMs / 1000)
        spec.log.error({ thread: spec.file, silentSeconds, stack: lookText(look) }, 'a starting thread does not answer')
        fail(
          new FleetError('not_ready', `the ${titleOf(spec.file)} did not answer for ${silentSeconds} s in its start`),
        )
      })
    }, BEAT_EVERY_MS)
    if (waitsFor?.aborted === true) isInVain()
    else waitsFor?.addEventListener('abort', isInVain)
    worker.once('message', (message: ThreadHello) => {
      stopWaiting()
      if ('failed' in message) {
        fail(revive(message.failed))
        return
      }
      resolve({
        remote: caller.remote,
        call: caller.call,
        pulse,
        get hasEnded() {
          return hasEnded
        },
        post: (sent, transfer) => {
          worker.postMessage(sent, transfer)
        },
        look: () => lookAtWorker(worker),
        terminate: async () => {
          isEnding = true
          await worker.terminate()
        },
      })
    })
  })
}

/** As people call it: `query worker`. */
export function titleOf(file: string): string {
  return file.replace('-worker', ' worker')
}

/** Code that registers the loader, which a thread does not inherit, and then runs the file. */
function loadWithTsx(url: URL): string {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  return `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(url.href)}) })`
}

/** Two connected ports, for threads that communicate directly. */
export function portPair(): { readonly near: MessagePort; readonly far: MessagePort } {
  const { port1, port2 } = new MessageChannel()
  return { near: port1, far: port2 }
}

/** The only message of a port, which is then closed. Rejects when the other end closes first. */
export function firstMessage<T>(port: MessagePort): Promise<T> {
  return new Promise((resolve, reject) => {
    port.once('close', () => {
      reject(new Error('the ingest worker ended before it shared anything'))
    })
    port.once('message', (message: T) => {
      resolve(message)
      port.close()
    })
  })
}
