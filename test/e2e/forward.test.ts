import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DebugForward } from '../../src/contract/debug-forward.ts'
import { requirePeer, type Skippable } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { startVictoriaMetrics, type RunningVictoriaMetrics } from '../support/victoria-metrics.ts'

// The server as it ships forwards to real stores: what it acknowledged arrives, whoever is killed meanwhile.

let folder: ReturnType<typeof tempDir>
let server: RunningServer | undefined
let remote: RunningVictoriaMetrics | undefined

beforeEach(() => {
  folder = tempDir('forward')
})

afterEach(async () => {
  await server?.kill()
  await remote?.stop()
  ;[server, remote] = [undefined, undefined]
  folder.remove()
})

const START_MS = Math.floor(Date.now() / 1000) * 1000 - 600_000
const SERIES = 40
const WITHIN_MS = 60_000

async function start(url: string, ...more: string[]): Promise<RunningServer> {
  server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data'), '--store.metrics', url],
    ...['--own-metrics', 'false', ...withoutContent(), ...more],
  ])
  return server
}

async function startRemote(context: Skippable): Promise<RunningVictoriaMetrics> {
  remote = await startVictoriaMetrics(requirePeer('victoria-metrics', context))
  return remote
}

/** One sample of each series. Returns the status; 0: no answer. */
async function send(round: number): Promise<number> {
  const series = Array.from({ length: SERIES }, (_, i) => ({
    labels: { __name__: 'forwarded', cluster: 'prague', number: String(i) },
    samples: [{ timeMs: START_MS + round * 1000, value: round * 100 + i }],
  }))
  return postWrite(server!.url, writeBody(series)).then(
    ({ status }) => status,
    () => 0,
  )
}

async function state(): Promise<NonNullable<DebugForward['forward']>> {
  const { forward } = (await (await fetch(`${server!.url}/debug/forward`)).json()) as DebugForward
  return forward!
}

/** The rounds that every series has there, each once. */
async function roundsThere(): Promise<readonly number[]> {
  const series = [...(await remote!.export('forwarded')).values()]
  if (series.length < SERIES) return []
  const [first, ...others] = series.map((samples) => new Set(samples.map(([timeMs]) => (timeMs - START_MS) / 1000)))
  return [...first!].filter((round) => others.every((rounds) => rounds.has(round))).sort((a, b) => a - b)
}

const untilThere = (rounds: readonly number[]): Promise<unknown> => {
  return until(
    `${rounds.length} rounds to arrive`,
    async () => {
      const there = new Set(await roundsThere())
      return rounds.every((round) => there.has(round)) ? true : undefined
    },
    WITHIN_MS,
  ).catch(async (cause: unknown) => {
    const there = new Set(await roundsThere())
    const missing = rounds.filter((round) => !there.has(round))
    throw new Error(JSON.stringify({ missing, state: await state() }), { cause })
  })
}

test('a server that is killed again and again forwards all that it acknowledged', async (context) => {
  const { url } = await startRemote(context)
  await start(url)
  const acknowledged: number[] = []
  for (let round = 0; round < 60; round++) {
    if (round % 15 === 14) {
      // In the middle of something: right after an acknowledgement.
      await server!.kill()
      await start(url)
    }
    if ((await send(round)) < 300) acknowledged.push(round)
  }
  expect(acknowledged).toHaveLength(60)
  await untilThere(acknowledged)
  // Its own series go on.
  await until('all to be acknowledged', async () => ((await state()).lagSamples === 0 ? true : undefined))
  expect(await state()).toMatchObject({ remote: { engine: 'victoriametrics', protocol: '1.0' } })
})

test('a VictoriaMetrics that is killed has all it acknowledged after its restart', async (context) => {
  const vm = await startRemote(context)
  await start(vm.url)
  const rounds: number[] = []
  for (let kill = 0; kill < 2; kill++) {
    for (let i = 0; i < 5; i++) {
      const round = rounds.length
      rounds.push(round)
      expect(await send(round)).toBeLessThan(300)
    }
    await until('all to be acknowledged', async () => ((await state()).lagSamples === 0 ? true : undefined))
    // Acknowledged, and only in its memory.
    await vm.kill()
    await vm.start()
    // What it did not flush is gone. It is sent again by itself, without new samples.
    await untilThere(rounds)
  }
  const { totals } = await state()
  expect(totals.restarts).toBe(2)
  expect(totals.resentSamples).toBeGreaterThanOrEqual(rounds.length * SERIES)
})

test('a full buffer refuses writes with 503, and takes them again once the store is back', async (context) => {
  const vm = await startRemote(context)
  await start(vm.url, '--store.metrics-buffer-bytes-max', '4KiB', '--store.metrics-resend-window', '15s')
  expect(await send(0)).toBeLessThan(300)
  await untilThere([0])
  await vm.kill()
  const acknowledged = [0]
  let refused = 0
  for (let round = 1; refused < 3; round++) {
    const status = await send(round)
    if (status < 300) acknowledged.push(round)
    else {
      expect(status).toBe(503)
      refused++
    }
  }
  const { buffer, lagSamples } = await state()
  expect(buffer).toMatchObject({ maxBytes: 4 * 1024, refused: 3 })
  expect(buffer.usedBytes).toBeGreaterThanOrEqual(4 * 1024)
  expect(lagSamples).toBeGreaterThan(0)
  const answer = await postWrite(server!.url, writeBody([]))
  expect(await answer.text()).toContain('store.metrics-buffer-bytes-max')
  await vm.start()
  await untilThere(acknowledged)
  await until('room in the buffer', async () => ((await send(500)) < 300 ? true : undefined), WITHIN_MS)
})

test('a Prometheus has all samples, and reports what it does not accept', async (context) => {
  const receiver = await startPrometheus({ path: requirePeer('prometheus', context), targets: [], isReceiver: true })
  try {
    await start(receiver.url)
    for (let round = 0; round < 20; round++) {
      expect(await send(round)).toBeLessThan(300)
      if (round === 10) {
        await server!.kill()
        await start(receiver.url)
      }
    }
    await until('all samples to arrive', async () => {
      const counts = await receiver.query('count_over_time(forwarded[20m])')
      return counts.length === SERIES && counts.every(({ value }) => value === 20) ? true : undefined
    })
    const { remote, totals } = await state()
    expect(remote).toMatchObject({ engine: 'prometheus', needsResend: false })
    expect(remote!.notAccepted.map(({ what }) => what)).toEqual(['metadata', 'native histograms', 'exemplars'])
    expect(Object.values(totals.refused).every((count) => count === 0)).toBe(true)
  } finally {
    await receiver.stop()
  }
})
