/**
 * Remote procedure calls between threads. One thread offers objects by name (`serve(port, { silences: facts.silences })`),
 * the other calls their methods (`remote.silences.list()`). The calls are typed by the interfaces of the objects, so no
 * call is declared twice. An address may select an object: `remote.fleet(moment).clusters(query)`; that may take a while.
 *
 * Arguments and results cross by structured clone: plain data and `Labels`, which regain their class on arrival. A result
 * that is a list of byte arrays moves instead: the method gives its memory away.
 * Failures arrive as FleetErrors with their code; bugs arrive as errors with their stack. An AbortSignal among the
 * arguments arrives as a `Cancellation`, aborted soon after the signal; its method still returns the result. Functions
 * cannot cross: a call with a function rejects.
 */
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError, type ErrorCode } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { Labels } from '../model/labels.ts'

/** The offer of a thread, by name: objects, or functions that find an object by an address (plain data). */
export type Services = object

/** The services as the other thread calls them. */
export type Remote<S extends Services> = {
  readonly [N in keyof S]: S[N] extends (address: infer A) => infer T
    ? (address: A) => RemoteObject<Awaited<T>>
    : RemoteObject<S[N]>
}

/** The methods of an object, each returning a promise. Other properties cannot be accessed. */
type RemoteObject<T> = {
  readonly [K in keyof T as T[K] extends Method ? K : never]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never
}

type Method = (...args: never[]) => unknown

/** The part of a port that both ends use; `parentPort`, a `Worker` and a `MessagePort` all satisfy it. */
export interface Channel {
  postMessage(message: unknown, moved?: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

interface Call {
  readonly id: number
  readonly service: string
  /** The object's address, when the service is a function that finds it. */
  readonly address?: unknown
  readonly method: string
  readonly args: readonly unknown[]
  /** The index of the signal among the arguments; the signal crosses as undefined. */
  readonly signalAt?: number
}

/** The signal of a call was aborted. Ignored when the call was already answered. */
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

/**
 * Answers calls that arrive on `channel`; methods start in the order in which their calls arrive. `turnOf`: what a call of
 * a service waits for before it starts; `undefined`: nothing.
 */
export function serve(
  channel: Channel,
  services: Services,
  turnOf: (service: string) => Promise<void> | undefined = () => undefined,
): void {
  /** The flags of unanswered calls with a signal, by number. */
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
    const turn = turnOf(call.service)
    const answering = turn === undefined ? answer(call, args, services) : turn.then(() => answer(call, args, services))
    void answering.then((reply) => {
      abortable.delete(id)
      try {
        channel.postMessage(reply, 'value' in reply ? bytesOf(reply.value) : [])
      } catch (thrown) {
        // The result cannot be cloned.
        channel.postMessage({ id, failure: carry(thrown) } satisfies Answer)
      }
    })
  })
}

async function answer(call: Call, args: readonly unknown[], services: Services): Promise<Answer> {
  const { id, service, method } = call
  try {
    const offered: unknown = Object.getOwnPropertyDescriptor(services, service)?.value
    const target =
      typeof offered === 'function' ? await (offered as (address: unknown) => unknown)(call.address) : offered
    const called = typeof target === 'object' && target !== null ? methodOf(target, method) : undefined
    invariant(called !== undefined, `a thread was called for ${service}.${method}, which it does not offer`)
    return { id, value: await (Reflect.apply(called, target, args) as unknown) }
  } catch (thrown) {
    return { id, failure: carry(thrown) }
  }
}

/** The memory of a list of byte arrays. */
function bytesOf(value: unknown): readonly ArrayBuffer[] {
  if (!Array.isArray(value) || !value.every((item) => item instanceof Uint8Array)) return []
  return (value as readonly Uint8Array<ArrayBuffer>[]).map(({ buffer }) => buffer)
}

/** A method of an object or of its class; no method of `Object`, and no `constructor`. */
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

/** A pending call. */
interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
  /** Removes the listener from the signal, which may live longer. */
  readonly forget: () => void
}

/** The calling end. */
interface Caller<S extends Services> {
  readonly remote: Remote<S>
  readonly call: SendCall
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
  const call: SendCall = (target, args) =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure)
        return
      }
      const id = ++lastId
      const signalAt = args.findIndex((arg) => arg instanceof AbortSignal)
      if (signalAt === -1) {
        // First of all, because an argument that cannot be cloned throws here and rejects.
        channel.postMessage({ id, ...target, args } satisfies Call)
        waiting.set(id, { resolve, reject, forget: NOTHING })
        return
      }
      const signal = args[signalAt] as AbortSignal
      const cancel = (): void => {
        channel.postMessage({ cancel: id } satisfies Cancel)
      }
      channel.postMessage({ id, ...target, args: args.with(signalAt, undefined), signalAt } satisfies Call)
      signal.addEventListener('abort', cancel, { once: true })
      const forget = (): void => {
        signal.removeEventListener('abort', cancel)
      }
      waiting.set(id, { resolve, reject, forget })
      if (signal.aborted) cancel()
    })
  return {
    remote: remoteOf<S>(call),
    call,
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

/** Sends a call to whatever answers it. */
export type SendCall = (
  target: Pick<Call, 'service' | 'address' | 'method'>,
  args: readonly unknown[],
) => Promise<unknown>

/** Services: objects with methods, and functions that return such objects. */
export function remoteOf<S extends Services>(call: SendCall): Remote<S> {
  return createdOnAccess((service) =>
    createdOnAccess(
      (method) => {
        const target = { service, method }
        return (...args: unknown[]) => call(target, args)
      },
      (address: unknown) =>
        createdOnAccess((method) => {
          const target = { service, address, method }
          return (...args: unknown[]) => call(target, args)
        }),
    ),
  ) as Remote<S>
}

/** Creates each property once, on its first access. `then` stays undefined: an object with `then` counts as a promise. */
function createdOnAccess(create: (name: string) => object, target: object = {}): object {
  const created = new Map<string, object>()
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name !== 'string' || name === 'then') return undefined
      let value = created.get(name)
      if (value === undefined) created.set(name, (value = create(name)))
      return value
    },
  })
}

/** A failure as data; a worker that cannot start also reports its failure this way. */
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

/** Restores the class of label sets, in place where possible, inside arrays, maps and plain objects. */
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
  for (const [key, item] of Object.entries(record)) record[key] = reviveLabels(item)
  return record
}
