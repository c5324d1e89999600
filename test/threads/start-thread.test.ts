import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { startThread } from '../../src/threads/start-thread.ts'
import { failingThreads } from '../support/failing-threads.ts'
import { until } from '../support/until.ts'

let logged = ''
const log = createLog('info', { write: (line) => (logged += line) })

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

describe('a thread that waits for another one', () => {
  // It waits for the memory that the other one shares; the port of one that ended before says nothing.
  function starting(waitsFor: AbortSignal, startSilentMsMax = Infinity) {
    const [share, derived] = [new MessageChannel(), new MessageChannel()]
    ports.push(share.port1, derived.port1)
    const workerData = { sharePort: share.port2, writerPort: derived.port2 }
    const died: string[] = []
    const started = startThread({
      ...{ file: 'query-worker', workerData, transfer: Object.values(workerData), log, waitsFor, startSilentMsMax },
      onDeath: (cause) => {
        died.push(cause.message)
      },
    })
    return { started, died }
  }

  test('fails when that ends before it is ready', async () => {
    const end = new AbortController()
    const { started, died } = starting(end.signal)
    end.abort()
    await expect(started).rejects.toThrow('the thread that the query worker waited for has ended')
    expect(died).toEqual([])
  })

  test('fails when that has ended before', async () => {
    await expect(starting(AbortSignal.abort()).started).rejects.toThrow(
      'the thread that the query worker waited for has ended',
    )
  })

  test('fails with its stack in the log when it hangs before it is ready', async () => {
    const threads = failingThreads()
    // Long enough to load its modules on a busy machine.
    const { started } = starting(new AbortController().signal, 20_000)
    const failed = expect(started).rejects.toThrow(/^the query worker did not answer for [2-9]\d s in its start$/)
    await until('a hung thread', () =>
      threads.hang('query-worker').then(
        () => true,
        () => undefined,
      ),
    )
    await failed
    threads.stop()
    expect(logged).toContain('endlessLoop')
  })
})
