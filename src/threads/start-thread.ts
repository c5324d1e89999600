/**
 * Starts a worker thread from a file beside this one and waits until the thread is ready. Under `tsx` and in tests the
 * files are TypeScript and the thread registers the same loader; after a build they are JavaScript.
 */
import { MessageChannel, Worker, type MessagePort, type Transferable } from 'node:worker_threads'
import type { Log } from '../base/log.ts'
import { createCaller, revive, type CarriedFailure, type Remote, type Services } from './rpc.ts'

/** The first message of a worker. */
export type ThreadHello = { readonly ready: true } | { readonly failed: CarriedFailure }

export interface Thread<S extends Services> {
  readonly remote: Remote<S>
  /** Ends the thread at once; close its resources first. */
  terminate(): Promise<void>
}

interface ThreadSpec {
  readonly file: 'ingest-worker' | 'query-worker' | 'rule-tests-worker' | 'scrub-worker'
  readonly workerData: unknown
  readonly transfer?: readonly Transferable[]
  readonly log: Log
  /** Called when the thread ends unexpectedly: a bug, or out of memory. */
  readonly onDeath: (cause: Error) => void
}

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** Resolves when the thread is ready; rejects with its own failure when it could not start. */
export function startThread<S extends Services>(spec: ThreadSpec): Promise<Thread<S>> {
  const url = new URL(`./${spec.file}${EXTENSION}`, import.meta.url)
  const worker = new Worker(EXTENSION === '.ts' ? loadWithTsx(url) : url, {
    name: spec.file,
    workerData: spec.workerData,
    transferList: [...(spec.transfer ?? [])],
    eval: EXTENSION === '.ts',
  })
  let isEnding = false
  return new Promise((resolve, reject) => {
    const caller = createCaller<S>(worker)
    const die = (cause: Error): void => {
      reject(cause)
      caller.fail(cause)
      if (isEnding) return
      isEnding = true
      spec.log.error({ thread: spec.file, err: cause }, 'thread died')
      spec.onDeath(cause)
    }
    worker.on('error', die)
    worker.on('exit', (exitCode) => {
      die(new Error(`thread ${spec.file} ended with code ${exitCode}`))
    })
    worker.once('message', (message: ThreadHello) => {
      if ('failed' in message) {
        isEnding = true
        reject(revive(message.failed))
        return
      }
      resolve({
        remote: caller.remote,
        terminate: async () => {
          isEnding = true
          await worker.terminate()
        },
      })
    })
  })
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
