import { afterEach, expect, test } from 'vitest'
import { join } from 'node:path'
import { daytwo } from '../cli/run.ts'
import { skipInScaleOut } from '../support/mode.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { encodeLogsProtobuf, logsOf, objectRecord } from '../support/otlp-logs.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// A backup made while senders write, restored elsewhere: it has everything acknowledged before it, and both servers answer alike.

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const METRICS = 50
const CLUSTERS = 5
const STEP_MS = 15_000

/** One scrape of all clusters, as one request. */
function scrape(timeMs: number): Uint8Array {
  return writeBody(
    Array.from({ length: METRICS * CLUSTERS }, (_, i) => ({
      labels: { __name__: `load_${i % METRICS}_total`, cluster: `cluster-${Math.floor(i / METRICS)}` },
      samples: [{ timeMs, value: (timeMs / STEP_MS) * (i + 1) }],
    })),
  )
}

async function taken(server: RunningServer, timeMs: number): Promise<void> {
  const response = await postWrite(server.url, scrape(timeMs))
  if (response.status !== 204) throw new Error(`answered ${response.status}: ${await response.text()}`)
}

test(
  'made under load and restored elsewhere, 200 questions have equal answers',
  { timeout: 300_000 },
  async (context) => {
    skipInScaleOut(context, 'a backup has what is in the folder, and samples are in the metrics store')
    const folder = tempDir('backup')
    closers.push(() => {
      folder.remove()
    })
    const [data, restored, file] = ['data', 'restored', 'daytwo.backup'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ]
    const args = (dir: string): string[] => ['serve', '--listen', '127.0.0.1:0', '--data', dir, ...withoutContent()]
    const server = await startServer(args(data))
    closers.push(() => server.stop())
    const startMs = Math.floor(Date.now() / STEP_MS) * STEP_MS - 3 * 3_600_000
    let atMs = startMs
    for (; atMs < startMs + 2 * 3_600_000; atMs += STEP_MS) await taken(server, atMs)
    const over = new AbortController()
    let sent = 0
    const sending = (async () => {
      // Later and later, never beyond now: three quarters of an hour are left for it.
      for (; !over.signal.aborted && sent < 180; sent++, atMs += STEP_MS) await taken(server, atMs)
    })()
    await until('a few scrapes', () => (sent > 3 ? true : undefined), 60_000)
    const acknowledged = atMs - STEP_MS
    const made = await daytwo('backup', file, '--data', data)
    over.abort()
    await sending
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(await daytwo('restore', file, '--data', restored)).toMatchObject({ code: 0, stderr: '' })
    const at = String((startMs + 2 * 3_600_000 - STEP_MS) / 1000)
    const verified = await daytwo('backup', '--verify', file, '--against', server.url, '--at', at)
    expect(verified.stdout).toMatch(/200 queries at .*: 200 equal, 0 different/)
    expect(verified).toMatchObject({ code: 0, stderr: '' })

    const other = await startServer(args(restored))
    closers.push(() => other.stop())
    const expr = 'count(last_over_time({__name__=~"load_.*"}[15s]))'
    expect((await other.query(expr, acknowledged)).map(({ value }) => value[1])).toEqual([String(METRICS * CLUSTERS)])

    // What is different is found: one sample that only the other server has.
    const extra = writeBody([
      {
        labels: { __name__: 'load_0_total', cluster: 'cluster-9' },
        samples: [{ timeMs: startMs + 3_600_000, value: 1 }],
      },
    ])
    expect((await postWrite(other.url, extra)).status).toBe(204)
    const found = await daytwo(
      'backup',
      '--verify',
      file,
      '--against',
      other.url,
      '--at',
      String((startMs + 3_600_000) / 1000),
    )
    expect(found.code).toBe(1)
    expect(found.stdout).toContain('different: /api/v1/query?query=count')
    expect(await daytwo('restore', file, '--data', restored)).toMatchObject({ code: 2 })
  },
)

test('what a backup has received and not derived yet is compared too', { timeout: 300_000 }, async () => {
  const folder = tempDir('backup')
  closers.push(() => {
    folder.remove()
  })
  const [data, file] = [join(folder.path, 'data'), join(folder.path, 'daytwo.backup')]
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data, ...withoutContent()]
  const killed = await startServer(args)
  const metadata = { name: 'cdi', namespace: 'cnv', uid: 'uid-of-cdi', resourceVersion: '7' }
  const resources = [
    logsOf([objectRecord('cdis', { kind: 'CDI', metadata }, Date.now() - 60_000)], { 'k8s.cluster.name': 'prague' }),
  ]
  const taken = await fetch(`${killed.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: new Uint8Array(encodeLogsProtobuf({ resources })),
  })
  await killed.kill()
  expect(taken.status).toBe(200)
  expect(await daytwo('backup', file, '--data', data)).toMatchObject({ code: 0, stderr: '' })
  const server = await startServer(args)
  closers.push(() => server.stop())
  const clusters = async (): Promise<string> => (await fetch(`${server.url}/api/fleet/v1/clusters`)).text()
  await until('the cluster', async () => ((await clusters()).includes('prague') ? true : undefined))
  const at = String(Math.floor(Date.now() / 1000))
  const verified = await daytwo('backup', '--verify', file, '--against', server.url, '--at', at)
  expect(verified.stdout).toMatch(/(\d+) queries at .*: \1 equal, 0 different/)
})
