import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { startThread } from '../../src/threads/start-thread.ts'

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

describe('a thread that waits for another one', () => {
  // It waits for the memory that the other one shares; the port of one that ended before says nothing.
  function starting(waitsFor: AbortSignal) {
    const { port1, port2 } = new MessageChannel()
    ports.push(port1)
    const died: string[] = []
    const started = startThread({
      ...{ file: 'query-worker', workerData: { sharePort: port2 }, transfer: [port2], log: silentLog, waitsFor },
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
})
