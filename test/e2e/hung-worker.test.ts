import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Now } from '../../src/contract/now.ts'
import { builtApp } from '../support/built-app.ts'
import { failingThreads } from '../support/failing-threads.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// A worker that does not answer, in the server as it ships, in this process. `test/chaos/threads.test.ts` ends, hangs and
// breaks workers under load.

const folder = tempDir('hung-worker')
const threads = failingThreads()
let app: App | undefined

afterEach(async () => {
  await app?.stop()
  threads.stop()
  folder.remove()
})

async function textOf(path: string): Promise<readonly [number, string]> {
  const response = await fetch(app!.url + path)
  return [response.status, await response.text()]
}

function write(): Promise<Response> {
  return postWrite(
    app!.url,
    writeBody([{ labels: { __name__: 'm', cluster: 'c' }, samples: [{ timeMs: Date.now(), value: 1 }] }]),
  )
}

test('is named by the probes and on the Now page, and its calls are refused until it is back', async () => {
  const options = {
    ...{
      listen: '127.0.0.1:0',
      data: join(folder.path, 'data'),
      'watchdog.hung-after': '3s',
      'watchdog.stable-after': '0s',
    },
    ...{ rules: NO_CONTENT, runbooks: NO_CONTENT, dashboards: NO_CONTENT },
  }
  const config = readConfig(new Map(Object.entries(options)), undefined, {})
  let logged = ''
  const log = createLog('info', { write: (line) => (logged += line) })
  app = await (await builtApp()).startApp({ config, clock: systemClock, log, isDemo: false })
  app.startCycles()
  expect((await textOf('/-/healthy'))[0]).toBe(200)
  // It waits for another program: nothing ends that, and it comes back by itself.
  await threads.block('ingest-worker', 9000)
  const told = await until('the probe to name it', async () => {
    const [status, text] = await textOf('/-/healthy')
    return status === 503 ? text : undefined
  })
  expect(told).toMatch(/^the ingest worker has not answered for \d+s/)
  expect(await textOf('/-/ready')).toEqual([503, expect.stringMatching(/^the ingest worker has not answered/)])
  const now = (await (await fetch(`${app.url}/api/fleet/v1/now`)).json()) as Now
  expect(now.faults?.threads).toEqual([
    expect.objectContaining({ thread: 'ingest-worker', state: 'hung', serving: false }),
  ])
  const refused = await write()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await textOf('/metrics'))[1]).toContain('daytwo_thread_up{thread="ingest-worker"} 0')
  const isHealthy = async (): Promise<true | undefined> => ((await textOf('/-/healthy'))[0] === 200 ? true : undefined)
  await until('it to be healthy', isHealthy, 60_000)
  expect((await write()).status).toBe(204)
  const [, metrics] = await textOf('/metrics')
  expect(metrics).toMatch(/daytwo_thread_failures_total\{thread="ingest-worker",reason="hung"[^\n]*\} 1\n/)
  expect(metrics).toMatch(/daytwo_thread_failures_total\{thread="ingest-worker",reason="died"[^\n]*\} 0\n/)
  expect(logged).toMatch(/"thread":"ingest-worker".*"stack":"not in JavaScript.*a thread does not answer/)
})
