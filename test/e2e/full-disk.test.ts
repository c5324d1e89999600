import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import type { Now } from '../../src/contract/now.ts'
import { startHook, type HookServer } from '../support/hook-server.ts'
import type { Skippable } from '../support/peers.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { mountDisk, type SmallDisk } from '../support/small-disk.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The product as it ships on a disk that is full, read-only or slow when it starts: it serves, raises alerts and refuses
// what it cannot store; it stores again as soon as the disk allows, in the same process.

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const rules = (alertname: string): string => `
groups:
  - name: g
    interval: 1s
    rules:
      - { alert: ${alertname}, expr: vector(1), labels: { severity: warning } }
`
const NOTIFY = (url: string): string => `
route: { receiver: hook, group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers: [{ name: hook, webhook_configs: [{ url: '${url}/' }] }]
`

class Place {
  readonly hook: HookServer
  readonly #args: readonly string[]
  readonly #rulesPath: string
  #starts = 0
  #server: RunningServer | undefined

  constructor(dataPath: string, configDir: string, hook: HookServer) {
    this.hook = hook
    mkdirSync(join(configDir, 'rules'))
    this.#rulesPath = join(configDir, 'rules/r.yaml')
    writeFileSync(join(configDir, 'am.yml'), NOTIFY(hook.url))
    this.#args = [
      ...['serve', '--listen=127.0.0.1:0', `--data=${dataPath}`, `--notify.config=${join(configDir, 'am.yml')}`],
      ...['--own-metrics=false', ...withoutContent(join(configDir, 'rules'))],
    ]
  }

  /** With an alert of this start, which fires at once. */
  async start(): Promise<void> {
    writeFileSync(this.#rulesPath, rules(`Start${++this.#starts}`))
    const server = await startServer(this.#args)
    this.#server = server
    closers.push(() => server.kill())
  }

  /** A receiver was told of the alert of this start. */
  notified(): Promise<boolean> {
    const name = `Start${this.#starts}`
    const isTold = (): true | undefined => (this.hook.got.some(({ body }) => body.includes(name)) ? true : undefined)
    return until(`a notification of ${name}`, isTold, 60_000)
  }

  get server(): RunningServer {
    return this.#server!
  }

  /** Where it listens now: opening the directory again chooses another port. */
  get url(): string {
    return [...this.server.output().matchAll(/"url":"(http:[^"]+)"/g)].at(-1)![1]!
  }

  /** Writes a sample of the present; answers the status. */
  async write(): Promise<Response> {
    return postWrite(
      this.url,
      writeBody([{ labels: { __name__: 'm', cluster: 'c' }, samples: [{ timeMs: Date.now(), value: 1 }] }]),
    )
  }

  silence(): Promise<Response> {
    return fetch(`${this.url}/api/fleet/v1/silences`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        matchers: [{ name: 'alertname', op: '=', value: 'Start1' }],
        endsAtMs: Date.now() + 3_600_000,
        comment: 'known',
        createdBy: 'ada',
      }),
    })
  }

  async text(path: string): Promise<string> {
    const response = await fetch(this.url + path)
    expect([path, response.status]).toEqual([path, 200])
    return response.text()
  }

  async samples(): Promise<number> {
    const text = await this.text(`/api/v1/query?query=${encodeURIComponent('count_over_time(m{cluster="c"}[1h])')}`)
    const { data } = JSON.parse(text) as { data: { result: { value: [number, string] }[] } }
    return Number(data.result[0]?.value[1] ?? 0)
  }
}

async function placeOn(context: Skippable): Promise<{ disk: SmallDisk; place: Place }> {
  const disk = mountDisk(context, 40)
  const config = tempDir('full-disk')
  const hook = await startHook()
  closers.push(
    () => {
      disk.remove()
      config.remove()
    },
    () => hook.stop(),
  )
  return { disk, place: new Place(join(disk.path, 'data'), config.path, hook) }
}

/** What is the same on a full and on a read-only disk. */
async function servesButTakesNothing(place: Place, reason: RegExp): Promise<void> {
  const refused = await place.write()
  expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
    503,
    '5',
    expect.stringMatching(reason),
  ])
  const silence = await place.silence()
  expect([silence.status, await silence.text()]).toEqual([503, expect.stringMatching(/storage_f(ull|ailed)/)])
  // Upkeep sees the failure within a second.
  const ready = await until('readiness to say what is missing', async () => {
    const text = await place.text('/-/ready')
    return text.includes('No data is stored since') ? text : undefined
  })
  expect(ready).toMatch(reason)
  const { faults } = JSON.parse(await place.text('/api/fleet/v1/now')) as Now
  expect(faults?.storage?.message).toMatch(reason)
  expect(await place.text('/')).toContain('<html')
  await place.notified()
}

/** Until a write is taken, and readiness has nothing to add. */
async function takesAgain(place: Place): Promise<void> {
  await until(
    'a write to be taken',
    async () => {
      const response = await place.write().catch(() => undefined)
      return response?.status === 204 ? true : undefined
    },
    60_000,
  )
  await until('readiness without a fault', async () =>
    (await place.text('/-/ready')) === 'Daytwo is Ready.\n' ? true : undefined,
  )
  expect((await place.silence()).status).toBe(201)
}

test('a full disk: started, restarted, freed', { timeout: 240_000 }, async (context) => {
  const { disk, place } = await placeOn(context)
  await place.start()
  expect((await place.write()).status).toBe(204)
  expect(await place.server.stop()).toBe(0)

  disk.fill()
  await place.start()
  expect(await place.samples()).toBe(1)
  await servesButTakesNothing(place, /full/)
  await place.server.kill()
  await place.start()
  // What was never acknowledged is gone.
  expect(await place.samples()).toBe(1)
  await servesButTakesNothing(place, /full/)

  disk.free()
  await takesAgain(place)
  expect(await place.server.stop()).toBe(0)
})

test('a read-only disk: started, made writable', { timeout: 240_000 }, async (context) => {
  const { disk, place } = await placeOn(context)
  await place.start()
  expect((await place.write()).status).toBe(204)
  expect(await place.server.stop()).toBe(0)

  disk.setReadOnly(true)
  await place.start()
  const { pid } = place.server
  expect(await place.samples()).toBe(1)
  await servesButTakesNothing(place, /read-?only/)

  disk.setReadOnly(false)
  await takesAgain(place)
  expect(place.server.pid).toBe(pid)
  expect(await place.samples()).toBeGreaterThan(1)
  expect(await place.server.stop()).toBe(0)
})

test('a disk that does not answer: everything but the write is answered', { timeout: 120_000 }, async (context) => {
  const { disk, place } = await placeOn(context)
  await place.start()
  expect((await place.write()).status).toBe(204)
  // Another process holds the file: a commit waits, as for a slow disk.
  const holder = new Database(join(disk.path, 'data', 'daytwo.db'))
  closers.push(() => holder.close())
  holder.exec('BEGIN IMMEDIATE')
  const write = place.write()
  for (const path of ['/-/healthy', '/-/ready', '/api/fleet/v1/now', '/api/v1/alerts', '/metrics'])
    await place.text(path)
  expect(await place.samples()).toBeGreaterThan(0)
  holder.exec('ROLLBACK')
  expect([204, 503]).toContain((await write).status)
  await takesAgain(place)
})
