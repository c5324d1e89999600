import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import type { WriteContext } from '../../src/ingest/remote-write.ts'
import type { WriteOutcome } from '../../src/ingest/write-outcome.ts'
import type { TakingStore } from '../../src/threads/taking.ts'
import { createWriteLane, serveWriteLane, type LaneIngest } from '../../src/threads/write-lane.ts'

const NOW_MS = 1_787_220_000_000

const open: { close(): void }[] = []
afterEach(() => {
  for (const port of open.splice(0)) port.close()
})

function taken(samples: number): WriteOutcome {
  return {
    status: 204,
    message: '',
    samplesIn: samples,
    samplesTaken: samples,
    samplesDuplicate: 0,
    refusals: [],
    histogramsIn: 0,
    histogramsTaken: 0,
    histogramsDuplicate: 0,
    exemplarsTaken: 0,
    exemplarsIgnored: 0,
    metadataIgnored: 0,
    newUnidentifiedSeries: 0,
  }
}

/** Notes what it is given; takes as many samples as the body has bytes. */
class NotingWriter implements LaneIngest, TakingStore {
  readonly bodies: string[] = []
  readonly contexts: WriteContext[] = []
  commits = 0
  outcome: ((body: Uint8Array) => WriteOutcome) | undefined
  onCommit: () => Promise<void> = () => Promise.resolve()
  onAdmit: () => void = () => undefined

  admit(): void {
    this.onAdmit()
  }

  write(body: Uint8Array, context: WriteContext): WriteOutcome {
    this.bodies.push(Buffer.from(body).toString())
    this.contexts.push(context)
    return this.outcome?.(body) ?? taken(body.length)
  }

  commit(): Promise<void> {
    this.commits++
    return this.onCommit()
  }
}

function connect(writer: LaneIngest & TakingStore, bytes = 1024) {
  const { port1, port2 } = new MessageChannel()
  open.push(port1, port2)
  const memory = new SharedArrayBuffer(bytes)
  serveWriteLane(port2, memory, writer, writer)
  return createWriteLane(port1, memory, () => NOW_MS)
}

describe('the lane of write requests', () => {
  test('requests of one round go together, and each gets its own outcome', async () => {
    const writer = new NotingWriter()
    const lane = connect(writer)
    const answers = await Promise.all([
      lane.write([Buffer.from('one')], undefined, '1.0'),
      lane.write([Buffer.from('three')], 'c7', '2.0'),
      lane.write([Buffer.from('')], undefined, '1.0'),
    ])
    expect(answers).toEqual([taken(3), taken(5), taken(0)])
    expect(writer.bodies).toEqual(['one', 'three', ''])
    expect(writer.contexts).toEqual([
      { nowMs: NOW_MS, protocol: '1.0' },
      { nowMs: NOW_MS, protocol: '2.0', cluster: 'c7' },
      { nowMs: NOW_MS, protocol: '1.0' },
    ])
    expect(writer.commits).toBe(1)
  })

  test('whatever is special about an outcome arrives', async () => {
    const writer = new NotingWriter()
    const special: WriteOutcome[] = [
      { ...taken(3), exemplarsIgnored: 1 },
      { ...taken(3), exemplarsTaken: 1 },
      { ...taken(3), histogramsIn: 2, histogramsTaken: 2 },
      { ...taken(3), metadataIgnored: 1 },
      { ...taken(3), newUnidentifiedSeries: 2 },
      { ...taken(3), samplesTaken: 1, refusals: [{ reason: 'out_of_order', count: 2, example: 'x' }] },
      { ...taken(3), status: 400, message: 'no', refusals: [{ reason: 'bad_labels', count: 1, example: 'x' }] },
    ]
    const left = [...special]
    writer.outcome = () => left.shift()!
    const lane = connect(writer)
    const sent = special.map(
      () => lane.write([Buffer.from('x')], undefined, '1.0') ?? Promise.reject(new Error('no room')),
    )
    expect(await Promise.all(sent)).toEqual(special)
  })

  test('one that fails fails alone; a commit that fails is told to all', async () => {
    const writer = new NotingWriter()
    const lane = connect(writer)
    writer.outcome = (body) => {
      if (body.length === 1) throw new FleetError('storage_failed', 'that one')
      return taken(body.length)
    }
    const [bad, good] = await Promise.allSettled([
      lane.write([Buffer.from('1')], undefined, '1.0'),
      lane.write([Buffer.from('22')], undefined, '1.0'),
    ])
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'storage_failed', message: 'that one' } })
    expect(good).toMatchObject({ status: 'fulfilled', value: taken(2) })
    writer.onCommit = () => Promise.reject(new FleetError('storage_full', 'the disk'))
    const both = await Promise.allSettled([
      lane.write([Buffer.from('22')], undefined, '1.0'),
      lane.write([Buffer.from('22')], undefined, '1.0'),
    ])
    for (const one of both) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'storage_full' } })
  })

  test('nothing is taken from a request that is not admitted', async () => {
    const writer = new NotingWriter()
    const lane = connect(writer)
    writer.onAdmit = () => {
      throw new FleetError('overloaded', 'full')
    }
    await expect(lane.write([Buffer.from('1')], undefined, '1.0')).rejects.toMatchObject({ code: 'overloaded' })
    expect(writer.bodies).toEqual([])
  })

  test('a body without room is not sent; there is room again when those before it are answered', async () => {
    const lane = connect(new NotingWriter(), 10)
    const first = lane.write([Buffer.from('12345678')], undefined, '1.0')
    expect(lane.write([Buffer.from('123')], undefined, '1.0')).toBeUndefined()
    expect(lane.write([Buffer.alloc(11)], undefined, '1.0')).toBeUndefined()
    await first
    expect(await lane.write([Buffer.from('123')], undefined, '1.0')).toEqual(taken(3))
  })

  test('when the other thread is dead, all that wait and all that come are told', async () => {
    const writer = new NotingWriter()
    writer.onCommit = () => new Promise(() => undefined)
    const lane = connect(writer)
    const waiting = [lane.write([Buffer.from('1')], undefined, '1.0'), lane.write([Buffer.from('2')], undefined, '1.0')]
    lane.fail(new Error('the thread died'))
    for (const one of waiting) await expect(one).rejects.toThrow('the thread died')
    await expect(lane.write([Buffer.from('3')], undefined, '1.0')).rejects.toThrow('the thread died')
  })
})
