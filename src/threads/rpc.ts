/**
 * Remote procedure calls between threads. One thread offers objects by name (`serve(port, { silences: facts.silences })`),
 * the other one calls their methods (`remote.silences.list()`); the type of the calls follows from the interfaces of the
 * objects, so no call is declared twice. An object may also be found by an address: `remote.fleet(moment).clusters(query)`.
 *
 * Arguments and answers cross by structured clone: plain data and `Labels`, which get their class back on arrival.
 * Failures arrive as FleetErrors with their code; bugs arrive as errors and are not softened. An AbortSignal
 * among the arguments arrives as a `Cancellation`, aborted soon after the signal was: the call is answered by its method
 * all the same. No other function crosses: a call with one rejects.
 */
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError, type ErrorCode } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { Labels } from '../model/labels.ts'

/** What a thread offers, by name: objects as they are, or functions that find an object by an address (plain data). */
export type Services = object

/** The same services seen from the other thread. */
export type Remote<S extends Services> = {
  readonly [N in keyof S]: S[N] extends (address: infer A) => infer T
    ? (address: A) => RemoteObject<T>
    : RemoteObject<S[N]>
}

/** The methods of an object, each of which answers later. What is no method stays where it is. */
type RemoteObject<T> = {
  readonly [K in keyof T as T[K] extends Method ? K : never]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never
}

type Method = (...args: never[]) => unknown

/** What both ends need of a port; `parentPort`, a `Worker` and a `MessagePort` all have it. */
export interface Channel {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

interface Call {
  readonly id: number
  readonly service: string
  /** Of the object, when the service is a function that finds it. */
  readonly address?: unknown
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

/** Answers calls that arrive on `channel`; their methods begin in the order in which the calls arrive. */
export function serve(channel: Channel, services: Services): void {
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
    void answer(call, args, services).then((reply) => {
      abortable.delete(id)
      try {
        channel.postMessage(reply)
      } catch (thrown) {
        // It answered what cannot be cloned.
        channel.postMessage({ id, failure: carry(thrown) } satisfies Answer)
      }
    })
  })
}

async function answer(call: Call, args: readonly unknown[], services: Services): Promise<Answer> {
  const { id, service, method } = call
  try {
    const offered: unknown = Object.getOwnPropertyDescriptor(services, service)?.value
    const target = typeof offered === 'function' ? (offered as (address: unknown) => unknown)(call.address) : offered
    const called = typeof target === 'object' && target !== null ? methodOf(target, method) : undefined
    invariant(called !== undefined, `a thread was called for ${service}.${method}, which it does not offer`)
    return { id, value: await (Reflect.apply(called, target, args) as unknown) }
  } catch (thrown) {
    return { id, failure: carry(thrown) }
  }
}

/** A method of an object or of its class. Nothing that every object has, such as its `constructor`. */
function methodOf(target: object, name: string): Method | undefined {
  let level: object | null = target
  while (level !== null && level !== Object.prototype) {
    const value = Object.getOwnPropertyDescriptor(level, name)?.value as unknown
    if (value !== undefined)
      return typeof value === 'function' && name !== 'constructor' ? (value as Method) : undefined
    level = Object.getPrototypeOf(level) as object | null
  }
  return undefined
}

/** A call that is under way. */
interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
  /** Takes the listener off its signal, which may live longer. */
  readonly forget: () => void
}

/** The calling end. */
interface Caller<S extends Services> {
  readonly remote: Remote<S>
  /** Rejects every waiting and every later call. */
  fail(cause: Error): void
}

export function createCaller<S extends Services>(channel: Channel): Caller<S> {
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
  const call: SendCall = (asked, args) =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure)
        return
      }
      const id = ++lastId
      const signalAt = args.findIndex((arg) => arg instanceof AbortSignal)
      if (signalAt === -1) {
        // Before it waits: what cannot be cloned throws here, and rejects.
        channel.postMessage({ id, ...asked, args } satisfies Call)
        waiting.set(id, { resolve, reject, forget: NOTHING })
        return
      }
      const signal = args[signalAt] as AbortSignal
      const cancel = (): void => {
        channel.postMessage({ cancel: id } satisfies Cancel)
      }
      channel.postMessage({ id, ...asked, args: args.with(signalAt, undefined), signalAt } satisfies Call)
      signal.addEventListener('abort', cancel, { once: true })
      const forget = (): void => {
        signal.removeEventListener('abort', cancel)
      }
      waiting.set(id, { resolve, reject, forget })
      if (signal.aborted) cancel()
    })
  const remote = remoteOf(call) as Remote<S>
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

type SendCall = (asked: Pick<Call, 'service' | 'address' | 'method'>, args: readonly unknown[]) => Promise<unknown>

/** Services, which are objects with methods, and functions that answer such objects. */
function remoteOf(call: SendCall): object {
  return madeWhenRead((service) =>
    madeWhenRead(
      (method) => {
        const asked = { service, method }
        return (...args: unknown[]) => call(asked, args)
      },
      (address: unknown) =>
        madeWhenRead((method) => {
          const asked = { service, address, method }
          return (...args: unknown[]) => call(asked, args)
        }),
    ),
  )
}

/** Each property is made once. `then` is none of them: an object that has it is taken for a promise. */
function madeWhenRead(make: (name: string) => object, target: object = {}): object {
  const made = new Map<string, object>()
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name !== 'string' || name === 'then') return undefined
      let value = made.get(name)
      if (value === undefined) made.set(name, (value = make(name)))
      return value
    },
  })
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
