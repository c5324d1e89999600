import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { daytwo } from '../cli/run.ts'
import { settled } from '../support/mode.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The program as it ships: rules of a file that changes while it runs, and the erasure of a cluster over the command line.

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const NOW_MS = Math.floor(Date.now() / 1000) * 1000
let sent = 0

async function write(server: RunningServer, labels: Readonly<Record<string, string>>): Promise<string> {
  const response = await postWrite(
    server.url,
    writeBody([{ labels, samples: [{ timeMs: NOW_MS + sent++, value: 1 }] }]),
  )
  await settled(server.url)
  return `${response.status} ${await response.text()}`.trim()
}

const count = async (server: RunningServer, selector: string): Promise<number> =>
  (await server.query(selector, NOW_MS + 60_000)).length

test('rules and an erasure, through the program', { timeout: 240_000 }, async () => {
  const folder = tempDir('privacy')
  closers.push(() => {
    folder.remove()
  })
  const [data, rules] = [join(folder.path, 'data'), join(folder.path, 'privacy.yaml')]
  writeFileSync(rules, 'metrics: { drop: [hidden] }\n')
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data, '--privacy.config', rules, ...withoutContent()]
  let server = await startServer(args)
  closers.push(() => server.stop())

  expect(await write(server, { __name__: 'hidden', cluster: 'prague' })).toBe('204')
  expect(await write(server, { __name__: 'shown', cluster: 'prague', note: 'secretnote' })).toBe('204')
  expect(await count(server, '{__name__=~"hidden|shown"}')).toBe(1)
  writeFileSync(rules, 'metrics: { drop: [shown] }\nlabels: { drop: [note] }\n')
  await fetch(`${server.url}/-/reload`, { method: 'POST' })
  await until('the rules to change', async () => {
    await write(server, { __name__: 'hidden', cluster: 'prague', note: 'x' })
    return (await count(server, 'hidden{note=""}')) === 1 ? true : undefined
  })
  writeFileSync(rules, 'metrics: { drop: ["("] }\n')
  expect((await fetch(`${server.url}/-/reload`, { method: 'POST' })).ok).toBe(false)
  expect(await write(server, { __name__: 'shown', cluster: 'prague', i: '1' })).toBe('204')
  expect(await count(server, 'shown{i="1"}')).toBe(0)
  // Counted since the rules were loaded, which the watch of the file may have done once more meanwhile.
  await until('both rules to have dropped something', async () => {
    for (const name of ['shown', 'hidden']) await write(server, { __name__: name, cluster: 'prague', note: 'x' })
    const debug = (await (await fetch(`${server.url}/debug/ingest`)).json()) as { privacy: { rule: string }[] }
    return debug.privacy.map(({ rule }) => rule).join() === 'metrics.drop shown,labels.drop note' ? true : undefined
  })

  expect(await write(server, { __name__: 'other', cluster: 'brno' })).toBe('204')
  const on = ['--url', server.url]
  const report = await daytwo('privacy', 'report', 'prague', ...on)
  expect(report.stdout).toMatch(/^series: \d+.*retention\.1d/m)
  expect(report.stdout).toContain('labels: __name__, cluster, note')
  const declare = (path: string, body: object) =>
    fetch(`${server.url}/api/fleet/v1/${path}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ clusters: ['prague', 'brno'], reason: 'sold', ...body }),
    })
  const version = { name: 'kubevirt-hyperconverged-operator.v1.17.0', version: '1.17.0' }
  for (const cluster of ['prague', 'brno']) await write(server, { __name__: 'csv_succeeded', cluster, ...version })
  await until('both clusters to be known', async () =>
    (await declare('decommissions', {})).status === 201 ? true : undefined,
  )
  const risk = { hazard: 'json_patch', expiresAt: new Date(NOW_MS + 86_400_000).toISOString() }
  expect((await declare('readiness/acceptances', risk)).status).toBe(201)
  /** Clusters with what users declared, from the memory of the server. */
  const declared = async (): Promise<unknown> => {
    const get = async <T>(path: string) => (await (await fetch(`${server.url}/api/fleet/v1/${path}`)).json()) as T
    type Declared = readonly { readonly cluster: string; readonly clusters?: readonly string[] }[]
    const { decommissions } = await get<{ decommissions: Declared }>('decommissions')
    const { acceptances } = await get<{ acceptances: Declared }>('readiness/acceptances')
    return [...decommissions, ...acceptances].flatMap(({ cluster, clusters }) => clusters ?? cluster).sort()
  }
  expect(await declared()).toEqual(['brno', 'brno', 'prague', 'prague'])
  const unconfirmed = await daytwo('privacy', 'erase', 'prague', '--confirm', 'brno', ...on)
  expect(unconfirmed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('want the name of the cluster again') as string,
  })
  const erased = await daytwo('privacy', 'erase', 'prague', '--confirm', 'prague', ...on)
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringContaining('prague, erasing') as string })
  expect(await write(server, { __name__: 'hidden', cluster: 'prague' })).toContain('cluster_erased')
  await until('its series to be gone', async () =>
    (await count(server, '{cluster="prague"}')) === 0 ? true : undefined,
  )
  await until('a pass to end', async () => {
    const { stdout } = await daytwo('privacy', 'erasures', ...on)
    return /erasing, [1-9]\d* rows/.test(stdout) ? true : undefined
  })
  expect(await count(server, '{cluster="brno",__name__="other"}')).toBe(1)
  await until('what users declared of it to be gone', async () =>
    JSON.stringify(await declared()) === '["brno","brno"]' ? true : undefined,
  )

  await server.kill()
  server = await startServer(args.filter((arg) => arg !== '--privacy.config' && arg !== rules))
  expect(await write(server, { __name__: 'hidden', cluster: 'prague' })).toContain('cluster_erased')
  expect(await count(server, '{cluster="prague"}')).toBe(0)
  await server.stop()
  expect(readFileSync(join(data, 'daytwo.db')).includes('secretnote')).toBe(false)
})
