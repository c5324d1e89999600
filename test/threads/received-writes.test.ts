import { describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { NO_TRACING, type Tracing } from '../../src/base/tracing.ts'
import { NOTHING_TAKEN, type WriteOutcome } from '../../src/ingest/write-outcome.ts'
import { createReceivedWrites } from '../../src/threads/received-writes.ts'

const TAKEN: WriteOutcome = { status: 204, message: '', ...NOTHING_TAKEN, samplesIn: 1, samplesTaken: 1 }
const BODY = [Buffer.from('a'), Buffer.from('bc')]

/** The other thread: answers when told to. */
function thread(hasRoom = true) {
  const waiting: { readonly resolve: (outcome: WriteOutcome) => void; readonly reject: (cause: Error) => void }[] = []
  const calls: unknown[] = []
  const wait = (): Promise<WriteOutcome> => new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  const unused = (): never => {
    throw new Error('not called here')
  }
  type Threads = Parameters<typeof createReceivedWrites>[0]['threads']
  const threads: Threads = {
    lane: { write: () => (hasRoom ? wait() : undefined), fail: unused },
    ingest: {
      writes: {
        remoteWrite: (body: Uint8Array, context: unknown) => {
          calls.push([Buffer.from(body).toString(), context])
          return wait()
        },
      },
    } as unknown as Threads['ingest'],
  }
  return { threads, waiting, calls }
}

function writesOver(threads: Parameters<typeof createReceivedWrites>[0]['threads'], tracing: Tracing = NO_TRACING) {
  const writes = createReceivedWrites({ threads, tracing, nowMs: () => 1000, pendingMax: 2 })
  return () => writes.remoteWrite(BODY, 'prague', '1.0')
}

describe('write requests that wait', () => {
  test('one more than the limit is refused, until one is answered, however', async () => {
    const { threads, waiting } = thread()
    const write = writesOver(threads)
    const [first, second] = [write(), write()]
    await expect(write()).rejects.toMatchObject({ code: 'overloaded' })
    waiting[0]!.resolve(TAKEN)
    expect(await first).toEqual(TAKEN)
    const third = write()
    await expect(write()).rejects.toMatchObject({ code: 'overloaded' })
    waiting[1]!.reject(new FleetError('storage_full', 'no room'))
    await expect(second).rejects.toMatchObject({ code: 'storage_full' })
    const fourth = write()
    await expect(write()).rejects.toMatchObject({ code: 'overloaded' })
    for (const { resolve } of waiting.slice(2)) resolve(TAKEN)
    expect(await Promise.all([third, fourth])).toEqual([TAKEN, TAKEN])
  })

  test('without room in the lane it is a call, with the whole body', async () => {
    const { threads, waiting, calls } = thread(false)
    const written = writesOver(threads)()
    waiting[0]!.resolve(TAKEN)
    expect(await written).toEqual(TAKEN)
    expect(calls).toEqual([['abc', { nowMs: 1000, cluster: 'prague', protocol: '1.0' }]])
  })

  test('is traced when tracing is on', async () => {
    const spans: string[] = []
    const tracing: Tracing = {
      ...NO_TRACING,
      isOn: true,
      span: (name, attributes, work) => {
        spans.push(name)
        return NO_TRACING.span(name, attributes, work)
      },
    }
    const { threads, waiting } = thread()
    const written = writesOver(threads, tracing)()
    waiting[0]!.resolve(TAKEN)
    expect(await written).toEqual(TAKEN)
    expect(spans).toEqual(['ingest remote write'])
  })
})
