import { describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { NO_TRACING, type Tracing } from '../../src/base/tracing.ts'
import { HeadShares } from '../../src/ingest/head-shares.ts'
import { NOTHING_TAKEN, type WriteOutcome } from '../../src/ingest/write-outcome.ts'
import { createReceivedWrites } from '../../src/threads/received-writes.ts'
import { FakeClock } from '../support/fake-clock.ts'

const TAKEN: WriteOutcome = { status: 204, message: '', ...NOTHING_TAKEN, samplesIn: 1, samplesTaken: 1 }
const BODY = [Buffer.from('a'), Buffer.from('bc')]

/** The other thread: answers when told to. */
function thread(hasRoom = true) {
  const waiting: { readonly resolve: (outcome: WriteOutcome) => void; readonly reject: (cause: Error) => void }[] = []
  const calls: unknown[] = []
  const wait = (): Promise<WriteOutcome> => new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  type Threads = Parameters<typeof createReceivedWrites>[0]['threads']
  const threads: Threads = {
    lane: { write: () => (hasRoom ? wait() : undefined) },
    ingest: {
      writes: {
        remoteWrite: (body: Uint8Array, context: unknown) => {
          calls.push([Buffer.from(body).toString(), context])
          return wait()
        },
        largeRemoteWrite: wait,
        otlpLogs: wait,
      },
    } as unknown as Threads['ingest'],
  }
  return { threads, waiting, calls }
}

/** A request of a sender; `leave` ends its connection. */
function request(owner: object = {}, bytes = 1024) {
  const listeners = new Set<() => void>()
  return {
    owner: Object.assign({ name: 'prague' }, owner, { kind: 'cluster' }),
    bytes,
    whenGone: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    leave: () => {
      for (const listener of [...listeners]) listener()
    },
    listeners,
  }
}

type Threads = Parameters<typeof createReceivedWrites>[0]['threads']

function writesOver(threads: Threads, tracing: Tracing = NO_TRACING) {
  const clock = new FakeClock(1000)
  const refused: string[] = []
  const onRefused = (reason: string, kind: string) => refused.push(`${reason} ${kind}`)
  const headShares = new HeadShares({ bytesMax: 1000, halfLifeMs: 1000 })
  const writes = createReceivedWrites({ threads, tracing, clock, waitMsMax: 5000, headShares, onRefused })
  const write = (queued = request()) => writes.remoteWrite(BODY, 'prague', '1.0', queued)
  return { ...writes, write, clock, headShares, refused }
}

const MIB = 1024 * 1024

describe('write requests', () => {
  test('without room in the lane it is a call, with the whole body', async () => {
    const { threads, waiting, calls } = thread(false)
    const written = writesOver(threads).write()
    waiting[0]!.resolve(TAKEN)
    expect(await written).toEqual(TAKEN)
    expect(calls).toEqual([['abc', { nowMs: 1000, cluster: 'prague', protocol: '1.0' }]])
  })

  test('are traced when tracing is on', async () => {
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
    const written = writesOver(threads, tracing).write()
    waiting[0]!.resolve(TAKEN)
    expect(await written).toEqual(TAKEN)
    expect(spans).toEqual(['ingest remote write'])
  })

  test('beyond what is under way wait for an answer, good or bad, and are refused when they waited too long', async () => {
    const { threads, waiting } = thread()
    const { write, clock, refused } = writesOver(threads)
    const owner = {}
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => write(request(owner, 2 * MIB)))
    expect(waiting).toHaveLength(2)
    waiting[0]!.resolve(TAKEN)
    expect(await first).toEqual(TAKEN)
    expect(waiting).toHaveLength(3)
    waiting[1]!.reject(new FleetError('storage_full', 'no room'))
    await expect(second).rejects.toMatchObject({ code: 'storage_full' })
    expect(waiting).toHaveLength(4)
    const late = write(request(owner, 2 * MIB))
    clock.advance(6000)
    await expect(late).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('ingest.wait-max') as string,
    })
    expect(refused).toEqual(['waited cluster'])
    for (const { resolve } of waiting.slice(2)) resolve(TAKEN)
    expect(await Promise.all([third, fourth])).toEqual([TAKEN, TAKEN])
  })

  test('of a sender that left while they waited are not forwarded', async () => {
    const { threads, waiting } = thread()
    const { write } = writesOver(threads)
    const running = write(request({}, 5 * MIB))
    const [gone, other] = [request({}, MIB), request({}, MIB)]
    const left = write(gone)
    const stays = write(other)
    gone.leave()
    await expect(left).rejects.toMatchObject({ code: 'overloaded' })
    waiting[0]!.resolve(TAKEN)
    await running
    expect(waiting).toHaveLength(2)
    waiting[1]!.resolve(TAKEN)
    expect(await stays).toEqual(TAKEN)
    expect(other.listeners.size).toBe(0)
  })
})

describe('a remote write request', () => {
  /** As many bytes as are announced, in pieces of one byte. */
  const pieces = (announced: number): Uint8Array[] => {
    const bytes: number[] = []
    for (let left = announced; ; left = Math.floor(left / 128)) {
      bytes.push(left < 128 ? left : (left % 128) | 128)
      if (left < 128) return bytes.map((byte) => Uint8Array.of(byte))
    }
  }

  test.each([
    [8 * MIB - 1, false],
    [8 * MIB, true],
    [2 ** 32 - 1, true],
  ])('that announces %i bytes waits for large ones: %s', async (announced, isLarge) => {
    const { threads, waiting } = thread()
    const { otlp, remoteWrite } = writesOver(threads)
    const first = otlp.logs(new Uint8Array(MIB), 'json', 'prague', request({}, MIB))
    const second = remoteWrite(pieces(announced), 'prague', '1.0', request())
    expect(waiting).toHaveLength(isLarge ? 1 : 2)
    waiting[0]!.resolve(TAKEN)
    await first
    expect(waiting).toHaveLength(2)
    waiting[1]!.resolve(TAKEN)
    expect(await second).toEqual(TAKEN)
  })
})

test('what runs at one time is counted as the bytes that bodies announce, not those that were received', async () => {
  const announcing3MiB = [Uint8Array.of(0x80, 0x80, 0xc0, 0x01)]
  const { threads, waiting } = thread()
  const { remoteWrite } = writesOver(threads)
  const send = (body: readonly Uint8Array[], bytes: number) => remoteWrite(body, 'prague', '1.0', request({}, bytes))
  const first = send(announcing3MiB, 1024)
  expect(waiting).toHaveLength(1)
  const second = send(announcing3MiB, 1024)
  expect(waiting).toHaveLength(1)
  waiting[0]!.resolve(TAKEN)
  await first
  expect(waiting).toHaveLength(2)
  // A body that announces less than it has is as large as it is.
  const third = send([Uint8Array.of(1)], 2 * MIB)
  expect(waiting).toHaveLength(2)
  waiting[1]!.resolve(TAKEN)
  await second
  waiting[2]!.resolve(TAKEN)
  expect(await third).toEqual(TAKEN)
})

describe('large OTLP requests', () => {
  test('are forwarded one at a time, and others go on meanwhile', async () => {
    const { threads, waiting } = thread()
    const { otlp, write } = writesOver(threads)
    const large = new Uint8Array(MIB)
    const send = () => otlp.logs(large, 'json', 'prague', request({}, MIB))
    const [first, second] = [send(), send()]
    expect(waiting).toHaveLength(1)
    const small = write()
    expect(waiting).toHaveLength(2)
    waiting[1]!.resolve(TAKEN)
    expect(await small).toEqual(TAKEN)
    waiting[0]!.resolve(TAKEN)
    await first
    expect(waiting).toHaveLength(3)
    waiting[2]!.resolve(TAKEN)
    await second
  })
})

test('samples of a sender that fills the head are refused before they are decoded, and counted', async () => {
  const { threads, waiting } = thread()
  const { write, headShares, refused } = writesOver(threads)
  for (let i = 0; i < 9; i++) headShares.add({ kind: 'cluster', name: `quiet-${i}` }, 10, 1000)
  const sent = write(request())
  waiting[0]!.resolve({ ...TAKEN, samplesTaken: 1000 })
  await sent
  headShares.see(900, 1000)
  await expect(write(request())).rejects.toMatchObject({ code: 'overloaded' })
  expect([refused, waiting.length]).toEqual([['head cluster'], 1])
})
