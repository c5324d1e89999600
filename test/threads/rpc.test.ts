import { getEventListeners } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { Labels } from '../../src/model/labels.ts'
import { createCaller, reviveLabels, serve, type Services } from '../../src/threads/rpc.ts'

const open: { close(): void }[] = []
afterEach(() => {
  for (const port of open.splice(0)) port.close()
})

function connect<S extends Services>(services: S) {
  const { port1, port2 } = new MessageChannel()
  open.push(port1, port2)
  serve(port2, services)
  return createCaller<S>(port1)
}

/** One object alone. */
function connectTo<T extends object>(target: T) {
  const caller = connect({ target })
  return {
    remote: caller.remote.target,
    fail: (cause: Error) => {
      caller.fail(cause)
    },
  }
}

describe('calls between threads', () => {
  test('answers arrive where they were asked, whatever the order in which they are ready', async () => {
    const gates: (() => void)[] = []
    const { remote } = connectTo({
      slow: (n: number) =>
        new Promise<number>((resolve) =>
          gates.push(() => {
            resolve(n)
          }),
        ),
      open: () => {
        for (const gate of gates.reverse()) gate()
      },
    })
    const all = [remote.slow(1), remote.slow(2), remote.slow(3)]
    await remote.open()
    expect(await Promise.all(all)).toEqual([1, 2, 3])
  })

  test('label sets keep their class both ways, also deep inside', async () => {
    const { remote } = connectTo({
      names: (items: readonly { labels: Labels }[]) =>
        new Map([['first', { inner: [items[0]!.labels.with('x', '1')] }]]),
    })
    const answer = await remote.names([{ labels: Labels.of({ a: 'b' }) }])
    expect(answer.get('first')!.inner[0]!.toObject()).toEqual({ a: 'b', x: '1' })
  })

  test('a list of bytes moves: the other thread has its memory, and the method none', async () => {
    const parts = [new Uint8Array([1, 2]), new Uint8Array([3])]
    const { remote } = connectTo({ bytes: () => parts, none: () => [], mixed: () => [new Uint8Array([4]), 'x'] })
    expect(await remote.bytes()).toEqual([new Uint8Array([1, 2]), new Uint8Array([3])])
    expect(parts.map(({ length }) => length)).toEqual([0, 0])
    expect(await remote.none()).toEqual([])
    expect(await remote.mixed()).toEqual([new Uint8Array([4]), 'x'])
  })

  test('calls of a service start on its turn, those of others at once', async () => {
    const { port1, port2 } = new MessageChannel()
    open.push(port1, port2)
    const started: string[] = []
    const turns: (() => void)[] = []
    const offered = (name: string) => ({ start: () => started.push(name) })
    serve(port2, { a: offered('a'), b: offered('b') }, (service) =>
      service === 'a'
        ? new Promise((resolve) => {
            turns.push(resolve)
          })
        : undefined,
    )
    const { remote } = createCaller<Record<'a' | 'b', { start: () => number }>>(port1)
    const waiting = remote.a.start()
    await remote.b.start()
    expect(started).toEqual(['b'])
    turns[0]!()
    await waiting
    expect(started).toEqual(['b', 'a'])
  })

  test('columns cross with their bits', async () => {
    const { remote } = connectTo({ echo: (column: Float64Array) => ({ column }) })
    const sent = new Float64Array([1, NaN])
    new Uint32Array(sent.buffer).set([2, 0x7ff00000], 2)
    expect(new Uint8Array((await remote.echo(sent)).column.buffer)).toEqual(new Uint8Array(sent.buffer))
  })

  test('a failure keeps its code, message and hint', async () => {
    const { remote } = connectTo({
      fail: () => {
        throw new FleetError('storage_full', 'no space', { hint: 'free some' })
      },
    })
    await expect(remote.fail()).rejects.toMatchObject({
      code: 'storage_full',
      message: 'no space',
      hint: 'free some',
      status: 503,
    })
  })

  test('a bug stays a bug', async () => {
    const { remote } = connectTo({
      break: () => {
        throw new TypeError('x is not a function')
      },
    })
    await expect(remote.break()).rejects.toThrow('x is not a function')
    await expect(remote.break()).rejects.not.toBeInstanceOf(FleetError)
  })

  test('a signal is aborted on the other side, where the call still ends as its handler says', async () => {
    const seen: boolean[] = []
    const { remote } = connectTo({
      wait: async (_what: string, signal?: AbortSignal): Promise<string> => {
        seen.push(signal!.aborted)
        // As the evaluator does: look, breathe, look again.
        while (!signal!.aborted) await new Promise((resolve) => setImmediate(resolve))
        throw new FleetError('query_canceled', 'given up')
      },
      quick: (signal?: AbortSignal) => signal !== undefined && !signal.aborted,
    })
    const controller = new AbortController()
    const waiting = remote.wait('x', controller.signal)
    expect(await remote.quick(controller.signal)).toBe(true)
    expect(await remote.quick()).toBe(false)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'query_canceled', message: 'given up' })
    expect(seen).toEqual([false])
    // A signal that is aborted already arrives right after the call.
    await expect(remote.wait('y', AbortSignal.abort())).rejects.toMatchObject({ code: 'query_canceled' })
  })

  test('nothing listens to a signal whose call was answered or lost', async () => {
    const caller = connectTo({
      quick: (signal: AbortSignal) => signal.aborted,
      never: (signal: AbortSignal) => new Promise<boolean>(() => signal.aborted),
    })
    const signal = new AbortController().signal
    expect(await caller.remote.quick(signal)).toBe(false)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    const lost = caller.remote.never(signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    caller.fail(new Error('thread ended'))
    await expect(lost).rejects.toThrow('thread ended')
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('objects of a class are offered as they are, and found by an address', async () => {
    class Counter {
      readonly #step: number
      total = 0

      constructor(step: number) {
        this.#step = step
      }

      add(times: number): number {
        return (this.total += times * this.#step)
      }
    }
    class NamedCounter extends Counter {
      name(): string {
        return 'counter'
      }
    }
    const counters = new Map([1, 10].map((step) => [step, new NamedCounter(step)]))
    const { remote } = connect({
      one: new NamedCounter(2),
      at: ({ step }: { readonly step: number }) => counters.get(step)!,
    })
    expect([await remote.one.add(1), await remote.one.add(2), await remote.one.name()]).toEqual([2, 6, 'counter'])
    expect(await remote.at({ step: 10 }).add(3)).toBe(30)
    expect(await remote.at({ step: 1 }).add(3)).toBe(3)
    expect(await remote.at({ step: 10 }).name()).toBe('counter')
  })

  test.each([
    ['service', 'nothing', 'list'],
    ['service that every object has', 'constructor', 'keys'],
    ['method', 'silences', 'nothing'],
    ['method that every object has', 'silences', 'toString'],
    ['constructor', 'silences', 'constructor'],
    ['prototype', 'silences', '__proto__'],
    ['property that is no method', 'silences', 'count'],
  ])('a %s that is not offered is a bug', async (_, service, method) => {
    class Silences {
      readonly count = 1
    }
    const { remote } = connect({ silences: new Silences() })
    const any = remote as unknown as Record<string, Record<string, () => Promise<unknown>>>
    await expect(any[service]![method]!()).rejects.toThrow(`called for ${service}.${method}, which it does not offer`)
  })

  test('what cannot cross rejects the call that has it', async () => {
    const { remote } = connectTo({ echo: (value: unknown) => typeof value })
    await expect(remote.echo(() => 1)).rejects.toThrow('could not be cloned')
    expect(await remote.echo(1)).toBe('number')
  })

  test('an answer that cannot cross is a bug of the method that gave it', async () => {
    const { remote } = connectTo({ make: () => () => 1 })
    await expect(remote.make()).rejects.toThrow('could not be cloned')
  })

  test('when the thread is gone, waiting and later calls say so', async () => {
    const caller = connectTo({ never: () => new Promise<void>(() => undefined) })
    const waiting = caller.remote.never()
    caller.fail(new Error('thread ended'))
    await expect(waiting).rejects.toThrow('thread ended')
    await expect(caller.remote.never()).rejects.toThrow('thread ended')
  })
})

test.each([[null], [1], [{ flat: 1, other: 2 }], [new Uint8Array(2)]])('reviveLabels leaves %j alone', (value) => {
  expect(reviveLabels(structuredClone(value))).toEqual(value)
})
