import { expect, test } from 'vitest'
import { GROWS_TO, WriteBehind } from '../../../src/fleet/loop/write-behind.ts'

/** Batches that were begun, each with what ends it. */
class Store {
  readonly begun: (readonly number[])[] = []
  readonly #ends: ((failure?: Error) => void)[] = []
  most = 0
  #open = 0

  readonly write = (batch: readonly number[]): Promise<void> => {
    this.begun.push(batch)
    this.most = Math.max(this.most, ++this.#open)
    return new Promise((resolve, reject) => {
      this.#ends.push((failure) => {
        this.#open--
        if (failure === undefined) resolve()
        else reject(failure)
      })
    })
  }

  end(batch: number, failure?: Error): void {
    this.#ends[batch]!(failure)
  }
}

/** Whether a promise is settled once everything that can run has run. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  promise.then(
    () => (done = true),
    () => (done = true),
  )
  await new Promise(setImmediate)
  return done
}

test('a batch is made while the one before it is written, and grows meanwhile, and no more', async () => {
  const store = new Store()
  const writes = new WriteBehind<number>(2, store.write)
  await writes.add(1)
  expect(store.begun).toEqual([])
  await writes.add(2)
  const grown = Array.from({ length: 2 * GROWS_TO }, (_, i) => 3 + i)
  for (const item of grown.slice(0, -1)) await writes.add(item)
  const full = writes.add(grown.at(-1)!)
  expect([await isDone(full), store.begun]).toEqual([false, [[1, 2]]])
  store.end(0)
  expect([await isDone(full), store.begun]).toEqual([true, [[1, 2], grown]]) // prettier-ignore
  await writes.add(5)
  const flushed = writes.flush()
  expect(await isDone(flushed)).toBe(false)
  store.end(1)
  expect([await isDone(flushed), store.begun.at(-1)]).toEqual([false, [5]])
  store.end(2)
  expect([await isDone(flushed), store.most]).toEqual([true, 1])
})

test('a batch that grew is written with the first item after the one before it', async () => {
  const store = new Store()
  const writes = new WriteBehind<number>(2, store.write)
  for (const item of [1, 2, 3, 4, 5]) await writes.add(item)
  store.end(0)
  await new Promise(setImmediate)
  await writes.add(6)
  expect(store.begun).toEqual([[1, 2], [3, 4, 5, 6]]) // prettier-ignore
})

test('the last batch is written when it is empty too', async () => {
  const store = new Store()
  const flushed = new WriteBehind<number>(2, store.write).flush()
  expect([await isDone(flushed), store.begun]).toEqual([false, [[]]])
  store.end(0)
  expect(await isDone(flushed)).toBe(true)
})

test('a failure is thrown by what comes next, and what was not written is given back', async () => {
  const store = new Store()
  const writes = new WriteBehind<number>(1, store.write)
  await writes.add(1)
  store.end(0, new Error('no disk'))
  await new Promise(setImmediate)
  await expect(writes.add(2)).rejects.toThrow('no disk')
  expect([writes.take(), writes.take(), store.begun]).toEqual([[2], [], [[1]]])
})
