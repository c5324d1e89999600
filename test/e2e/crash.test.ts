import { afterEach, describe, expect, test } from 'vitest'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { instantQuery, startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// What was acknowledged is never lost: the server as it ships is killed at random moments while several senders write,
// started again on the same folder, and asked for everything it ever answered 204 for.

const KILLS = Number(process.env['DAYTWO_CRASH_SERVER_KILLS'] ?? 3)
const SENDERS = 4
const SERIES_PER_REQUEST = 50
const ACKS_BEFORE_KILL_MAX = 200
/** Old times on purpose: with a long retention samples at the epoch are valid. */
const STEP_MS = 1000

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Mulberry32: the same kills in every run. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

interface Sender {
  readonly name: string
  /** Steps whose request was answered 204. */
  readonly acked: Set<number>
  nextStep: number
}

function ackedBy(senders: readonly Sender[]): number {
  return senders.reduce((sum, sender) => sum + sender.acked.size, 0)
}

const valueAt = (step: number, series: number): number => step * 1000 + series

function bodyOf(sender: Sender, step: number): Uint8Array {
  return writeBody(
    Array.from({ length: SERIES_PER_REQUEST }, (_, series) => ({
      labels: { __name__: 'crash_total', cluster: sender.name, series: String(series) },
      samples: [{ timeMs: step * STEP_MS, value: valueAt(step, series) }],
    })),
  )
}

/** Sends one step after the other until the server is gone. A step without an answer is sent again in the next life. */
async function sendUntilGone(url: string, sender: Sender): Promise<void> {
  for (;;) {
    const step = sender.nextStep
    try {
      const response = await postWrite(url, bodyOf(sender, step))
      if (response.status !== 204) throw new Error(`answered ${response.status}: ${await response.text()}`)
    } catch (thrown) {
      if (thrown instanceof Error && thrown.message.startsWith('answered')) throw thrown
      return
    }
    sender.acked.add(step)
    sender.nextStep++
  }
}

/** Every acknowledged sample, read back with its value; once each, because a range answers one value a step. */
async function missing(server: RunningServer, sender: Sender): Promise<readonly string[]> {
  const lost: string[] = []
  const lastStep = sender.nextStep
  const samples = await instantQuery(
    server.url,
    `count_over_time(crash_total{cluster="${sender.name}"}[10y])`,
    lastStep * STEP_MS,
  )
  const sums = await instantQuery(
    server.url,
    `sum_over_time(crash_total{cluster="${sender.name}"}[10y])`,
    lastStep * STEP_MS,
  )
  const sumOf = new Map(sums.map(({ metric, value }) => [metric['series'], Number(value[1])]))
  for (const { metric, value } of samples) {
    const series = Number(metric['series'])
    // The last step may be there without having been acknowledged: its answer was cut off.
    const stored = Number(value[1])
    const isLastThere = stored === sender.acked.size + 1
    const want = [...sender.acked].reduce((sum, step) => sum + valueAt(step, series), 0)
    const got = (sumOf.get(metric['series']) ?? 0) - (isLastThere ? valueAt(lastStep, series) : 0)
    if ((stored !== sender.acked.size && !isLastThere) || got !== want) {
      lost.push(`${sender.name} series ${series}: ${stored} of ${sender.acked.size} samples, sum ${got}, want ${want}`)
    }
  }
  if (sender.acked.size > 0 && samples.length !== SERIES_PER_REQUEST)
    lost.push(`${sender.name}: ${samples.length} series`)
  return lost
}

describe('kill -9 under load', () => {
  test(`after ${KILLS} random kills every acknowledged sample is there`, { timeout: 480_000 }, async () => {
    const data = tempDir('crash')
    closers.push(() => {
      data.remove()
    })
    const args = [
      'serve',
      '--listen',
      '127.0.0.1:0',
      '--data',
      data.path,
      '--retention.raw',
      '100y',
      '--store.flush-every',
      '30s',
      '--ingest.out-of-order',
      '10s',
      ...withoutContent(),
    ]
    const random = randomOf(20260820)
    const senders = Array.from({ length: SENDERS }, (_, i): Sender => ({
      name: `cluster-${i}`,
      acked: new Set(),
      nextStep: 0,
    }))

    for (let kill = 0; kill < KILLS; kill++) {
      const server = await startServer(args)
      const sending = Promise.all(senders.map((sender) => sendUntilGone(server.url, sender)))
      // After some acknowledgements, however slow the machine, and then anywhere inside a few milliseconds.
      const wanted = ackedBy(senders) + Math.ceil(random() * ACKS_BEFORE_KILL_MAX)
      await until('acknowledgements', () => (ackedBy(senders) >= wanted ? true : undefined), 120_000)
      await new Promise((resolve) => setTimeout(resolve, random() * 20))
      await server.kill()
      await sending
    }

    const server = await startServer(args)
    closers.push(() => server.stop())
    const lost = (await Promise.all(senders.map((sender) => missing(server, sender)))).flat()
    expect(lost).toEqual([])
    expect(ackedBy(senders)).toBeGreaterThanOrEqual(KILLS)
  })
})
