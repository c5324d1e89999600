import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DecommissionItems } from '../../src/contract/decommissions.ts'
import type { ClusterDetail } from '../../src/contract/fleet-clusters.ts'
import type { Now } from '../../src/contract/now.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// A cluster that somebody says was switched off: kept over kill -9, told as a series, and over when the cluster is back.

let folder: ReturnType<typeof tempDir>
let server: RunningServer

beforeEach(async () => {
  folder = tempDir('decommissions')
  server = await start()
})
afterEach(async () => {
  await server.kill()
  folder.remove()
})

function start(): Promise<RunningServer> {
  return startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data')],
    ...['--own-metrics', 'false', ...withoutContent()],
  ])
}

/** A sample of so many seconds ago. */
async function tell(cluster: string, secondsAgo: number): Promise<void> {
  const name = 'kubevirt-hyperconverged-operator.v1.17.0'
  const labels = { __name__: 'csv_succeeded', cluster, name, version: '1.17.0' }
  const samples = [{ timeMs: Date.now() - secondsAgo * 1000, value: 1 }]
  expect((await postWrite(server.url, writeBody([{ labels, samples }]))).status).toBeLessThan(300)
}

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(`${server.url}/api/fleet/v1/${path}`)).json()) as T
}

const LONG = { timeout: 60_000, interval: 250 }
const counts = async () => {
  const { clusters } = await get<Now>('now')
  return `${clusters.total} known, ${clusters.silent} silent, ${clusters.gone} gone`
}
const states = async (cluster: string) => (await get<Partial<ClusterDetail>>(`clusters/${cluster}`)).states
const goneSeries = async () =>
  (await server.query('daytwo_cluster_gone')).map(({ metric }) => `${metric['cluster'] ?? ''} ${metric['why'] ?? ''}`)

test('what was said outlives a kill, and ends by itself when the cluster sends again', async () => {
  await tell('here', 1)
  await tell('off', 1800)
  await expect.poll(() => states('off'), LONG).toEqual(['silent'])
  await expect.poll(counts, LONG).toBe('2 known, 1 silent, 0 gone')

  const body = JSON.stringify({ clusters: ['off'], reason: 'the site was closed', by: 'ada' })
  const headers = { 'content-type': 'application/json' }
  const said = await fetch(`${server.url}/api/fleet/v1/decommissions`, { method: 'POST', headers, body })
  expect(said.status).toBe(201)
  // At once, for whoever said it.
  expect(await counts()).toBe('1 known, 0 silent, 1 gone')

  await server.kill()
  server = await start()
  await expect.poll(counts, LONG).toBe('1 known, 0 silent, 1 gone')
  expect(await states('off')).toEqual(['gone'])
  await expect.poll(goneSeries, LONG).toEqual(['off declared'])

  await tell('off', 0)
  const ends = async () => (await get<DecommissionItems>('decommissions')).decommissions.map(({ state }) => state)
  await expect.poll(ends, LONG).toEqual(['returned'])
  await expect.poll(() => states('off'), LONG).toEqual(['steady'])
  await server.kill()
  server = await start()
  expect(await ends()).toEqual(['returned'])
  await expect.poll(counts, LONG).toBe('2 known, 0 silent, 0 gone')
  const { entries } = await get<{ entries: { action: string; by: string }[] }>('audit')
  expect(entries.map(({ action, by }) => `${action} ${by}`)).toEqual([
    'cluster.return daytwo',
    'cluster.decommission ada',
  ])
}, 240_000)
