import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { lookAtWorker, lookText } from '../../src/threads/thread-stack.ts'

const workers: Worker[] = []
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.terminate()
})

/** A thread that runs `code` after it said that it is there. */
async function running(code: string): Promise<Worker> {
  const worker = new Worker(`require('node:worker_threads').parentPort.postMessage('here'); ${code}`, { eval: true })
  workers.push(worker)
  await once(worker, 'message')
  return worker
}

test('a loop is seen with the calls that led to it, and can be ended afterwards', async () => {
  const worker = await running('function inner() { for (;;); } function outer() { inner() } outer()')
  const other = await running('setInterval(() => undefined, 1000)')
  const look = await lookAtWorker(worker)
  expect(lookText(look)).toMatch(/^at inner \(.*\nat outer \(/)
  // It goes on, and so does the other one.
  expect((await lookAtWorker(worker)).kind).toBe('javascript')
  expect(await worker.terminate()).toBe(1)
  expect(other.threadId).toBeGreaterThan(0)
})

test('a thread that waits for the operating system is told from one in a loop, and goes on', async () => {
  const worker = await running(
    "require('node:child_process').execFileSync('sleep', ['6']); require('node:worker_threads').parentPort.postMessage('back')",
  )
  const back = once(worker, 'message')
  // It may be seen on its way there.
  const look = await until('it to wait', async () => {
    const seen = await lookAtWorker(worker, 500)
    return seen.kind === 'native' ? seen : undefined
  })
  expect(lookText(look)).toMatch(/^not in JavaScript/)
  expect(await back).toEqual(['back'])
})

test('a look that was given up leaves no debugger behind: the next one lets the thread go on, and it can be ended', async () => {
  const worker = await running('setTimeout(function loop() { for (;;); })')
  for (let i = 0; i < 3; i++) await lookAtWorker(worker, 1)
  expect((await lookAtWorker(worker)).kind).toBe('javascript')
  expect(await worker.terminate()).toBe(1)
})

test('a thread that has ended is not known', async () => {
  const worker = await running('')
  await worker.terminate()
  expect(lookText(await lookAtWorker(worker))).toBe('not known')
})
