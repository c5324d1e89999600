/**
 * Calls between threads: a method name, arguments, an answer. What crosses is plain data and `Labels` (structured
 * clone keeps a class' fields but not the class, so label sets are given theirs back on arrival). Failures arrive as
 * FleetErrors with their code; bugs arrive as errors and are not softened. An AbortSignal or a
 * `Leaving` among the arguments arrives as a `Cancellation`, aborted soon after the signal was: the call is answered by its handler all the same.
 */
import { Leaving } from '../base/cancellation.ts'
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import type { ErrorCode } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { Labels } from '../model/labels.ts'

/** Methods a thread offers. Their arguments and answers must survive structured clone. */
export type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>

/** The same methods seen from the other thread. */
export type Remote<H extends Handlers> = {
  readonly [K in keyof H]: (...args: Parameters<H[K]>) => Promise<Awaited<ReturnType<H[K]>>>
}

/** What both ends need of a port; `parentPort`, a `Worker` and a `MessagePort` all have it. */
export interface Channel {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
  /** Which argument is a signal; it crosses as undefined. */
  readonly signalAt?: number
}

/** The signal of a call was aborted. Nothing happens when the call was answered meanwhile. */
interface Cancel {
  readonly cancel: number
}

type Answer =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly failure: CarriedFailure }

/** A failure, or a bug when it has no code, as data. */
export interface CarriedFailure {
  readonly code: ErrorCode | undefined
  readonly message: string
  readonly hint: string | undefined
  readonly stack: string | undefined
}

/** Answers calls that arrive on `channel`, in the order in which they arrive. */
export function serveCalls(channel: Channel, handlers: Handlers): void {
  /** Of calls that have a signal and are not answered yet, by number. */
  const abortable = new Map<number, { aborted: boolean }>()
  channel.on('message', (message) => {
    const call = message as Call | Cancel
    if ('cancel' in call) {
      const flag = abortable.get(call.cancel)
      if (flag !== undefined) flag.aborted = true
      return
    }
    if (typeof call.method !== 'string') return
    const { id, signalAt } = call
    const args = call.args.map(reviveLabels)
    if (signalAt !== undefined) {
      const flag: Cancellation & { aborted: boolean } = { aborted: false }
      abortable.set(id, flag)
      args[signalAt] = flag
    }
    void answer(call, args, handlers).then((reply) => {
      abortable.delete(id)
      channel.postMessage(reply)
    })
  })
}

async function answer(call: Call, args: readonly unknown[], handlers: Handlers): Promise<Answer> {
  try {
    const handler = handlers[call.method] as ((...args: readonly unknown[]) => unknown) | undefined
    invariant(handler !== undefined, `a thread was asked for ${call.method}, which it does not offer`)
    return { id: call.id, value: await handler(...args) }
  } catch (thrown) {
    return { id: call.id, failure: carry(thrown) }
  }
}

/** A call that is under way. */
interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
  /** Takes the listener off its signal, which may live longer. */
  readonly forget: () => void
}

/** The calling end. */
export interface Caller<H extends Handlers> {
  readonly remote: Remote<H>
  /** Rejects every waiting and every later call. */
  fail(cause: Error): void
}

export function createCaller<H extends Handlers>(channel: Channel): Caller<H> {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let failure: Error | undefined
  channel.on('message', (message) => {
    const reply = message as Answer
    const caller = waiting.get(reply.id)
    if (caller === undefined) return
    waiting.delete(reply.id)
    caller.forget()
    if ('failure' in reply) caller.reject(revive(reply.failure))
    else caller.resolve(reviveLabels(reply.value))
  })
  const call = (method: string, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure)
        return
      }
      const id = ++lastId
      const signalAt = args.findIndex((arg) => arg instanceof Leaving || arg instanceof AbortSignal)
      if (signalAt === -1) {
        waiting.set(id, { resolve, reject, forget: NOTHING })
        channel.postMessage({ id, method, args } satisfies Call)
        return
      }
      const signal = args[signalAt] as Leaving | AbortSignal
      const cancel = (): void => {
        channel.postMessage({ cancel: id } satisfies Cancel)
      }
      waiting.set(id, { resolve, reject, forget: listen(signal, cancel) })
      channel.postMessage({ id, method, args: args.with(signalAt, undefined), signalAt } satisfies Call)
      if (signal.aborted) cancel()
    })
  const remote = new Proxy(
    {},
    { get: (_, method) => (method === 'then' ? undefined : (...args: unknown[]) => call(String(method), args)) },
  ) as Remote<H>
  return {
    remote,
    fail(cause) {
      failure ??= cause
      for (const { reject, forget } of waiting.values()) {
        forget()
        reject(failure)
      }
      waiting.clear()
    },
  }
}

const NOTHING = (): void => undefined

/** @returns what takes the listener off again */
function listen(signal: Leaving | AbortSignal, listener: () => void): () => void {
  if (signal instanceof Leaving) {
    signal.tell(listener)
    return () => {
      signal.tell(undefined)
    }
  }
  signal.addEventListener('abort', listener, { once: true })
  return () => {
    signal.removeEventListener('abort', listener)
  }
}

/** A failure as data; also how a worker says that it could not start. */
export function carry(thrown: unknown): CarriedFailure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  return {
    code: error instanceof FleetError ? error.code : undefined,
    message: error.message,
    hint: error instanceof FleetError ? error.hint : undefined,
    stack: error.stack,
  }
}

export function revive(failure: CarriedFailure): Error {
  const { code, message, hint, stack } = failure
  if (code !== undefined) return new FleetError(code, message, hint === undefined ? {} : { hint })
  const bug = new Error(message)
  if (stack !== undefined) bug.stack = stack
  return bug
}

/** Gives label sets their class back, in place where it can; typed arrays and maps are walked past or into as needed. */
export function reviveLabels(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return value
  if (Array.isArray(value)) {
    const items: unknown[] = value
    for (let i = 0; i < items.length; i++) items[i] = reviveLabels(items[i])
    return items
  }
  if (value instanceof Map) {
    const map = value as Map<unknown, unknown>
    for (const [key, item] of map) map.set(key, reviveLabels(item))
    return map
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const record = value as Record<string, unknown>
  const keys = Object.keys(record)
  if (keys.length === 1 && keys[0] === 'flat') return Labels.fromFlat(record['flat'] as string[])
  for (const key of keys) record[key] = reviveLabels(record[key])
  return record
}
