import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// kill -9 between what clusters send and what is derived from it: the server as it ships, over HTTP. What was known is
// known again at once, and what came last is derived by the next life.

let folder: ReturnType<typeof tempDir>
let server: RunningServer | undefined

beforeEach(() => {
  folder = tempDir('fleet-kill')
})

afterEach(async () => {
  await server?.kill()
  folder.remove()
})

async function start(): Promise<RunningServer> {
  server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data')],
    ...['--own-metrics', 'false', ...withoutContent()],
  ])
  return server
}

const STEP_MS = 15_000
const WITHIN_MS = 60_000

/** Samples of one version's CSV, from so many seconds ago until so many. */
async function tell(version: string, value: number, fromSeconds: number, untilSeconds: number): Promise<void> {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const samples: { timeMs: number; value: number }[] = []
  for (let timeMs = nowMs - fromSeconds * 1000; timeMs <= nowMs - untilSeconds * 1000; timeMs += STEP_MS) {
    samples.push({ timeMs, value })
  }
  const name = `kubevirt-hyperconverged-operator.v${version}`
  const labels = { __name__: 'csv_succeeded', cluster: 'c1', name, version }
  const { status } = await postWrite(server!.url, writeBody([{ labels, samples }]))
  expect(status).toBeLessThan(300)
}

interface Kept {
  readonly versions: readonly string[]
  readonly upgrades: readonly string[]
}

async function kept(): Promise<Kept> {
  const get = async (path: string): Promise<unknown> => (await fetch(`${server!.url}/api/fleet/v1/${path}`)).json()
  const { intervals = [] } = (await get('clusters/c1')) as {
    readonly intervals?: readonly { readonly version: string }[]
  }
  const { upgrades } = (await get('upgrades')) as {
    readonly upgrades: readonly { readonly from: string; readonly to: string }[]
  }
  return {
    versions: intervals.map(({ version }) => version),
    upgrades: upgrades.map(({ from, to }) => `${from} -> ${to}`),
  }
}

async function untilKept(what: string, holds: (kept: Kept) => boolean): Promise<Kept> {
  return until(what, async () => [await kept()].find(holds), WITHIN_MS)
}

test('facts and how far they are derived outlive a kill', async () => {
  await start()
  await tell('1.16.0', 1, 600, 120)
  expect(await untilKept('the version', ({ versions }) => versions.length > 0)).toEqual({
    versions: ['1.16.0'],
    upgrades: [],
  })
  // Acknowledged, and killed before, within, or after the beat that would have derived it.
  await tell('1.16.0', 0, 105, 90)
  await tell('1.17.0', 0, 105, 90)
  await tell('1.17.0', 1, 75, 0)
  await server!.kill()
  await start()
  const found = await untilKept('the upgrade', ({ upgrades }) => upgrades.length > 0)
  expect(found.upgrades).toEqual(['1.16.0 -> 1.17.0'])
  await server!.kill()
  await start()
  expect(await untilKept('the facts', ({ versions }) => versions.length > 0)).toEqual(found)
}, 240_000)
