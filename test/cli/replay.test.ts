import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

// The whole way: a real server with samples of two hours, its own rules, and a file with edited ones.

const folder = tempDir('cli-replay')
const MINUTE_MS = 60_000
const NOW_MS = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS

function file(name: string, text: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

const RULE = (forText: string): string =>
  `  - alert: Down\n    expr: max by (cluster) (machines_up) == 0\n    for: ${forText}\n    labels: {severity: critical}\n`
const HEAD = 'groups:\n- name: g\n  interval: 1m\n  rules:\n'

let server: RunningServer
let edited = ''
beforeAll(async () => {
  const rules = tempDir('cli-replay-rules')
  writeFileSync(join(rules.path, 'r.yaml'), `${HEAD}${RULE('5m')}`)
  edited = file('edited.yaml', `${HEAD}${RULE('15m')}  - alert: New\n    expr: machines_up == 0\n`)
  const data = join(folder.path, 'data')
  server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data, ...withoutContent(rules.path)])
  // Two hours: ten minutes of every thirty it is down.
  const samples = Array.from({ length: 121 }, (_, i) => ({
    timeMs: NOW_MS - (120 - i) * MINUTE_MS,
    value: i % 30 >= 10 && i % 30 < 20 ? 0 : 1,
  }))
  const body = writeBody([{ labels: { __name__: 'machines_up', cluster: 'prague' }, samples }])
  expect((await postWrite(server.url, body)).status).toBe(204)
}, 90_000)
afterAll(async () => {
  await server.stop()
  folder.remove()
})

const TIMES = ['--from', String((NOW_MS - 120 * MINUTE_MS) / 1000), '--to', String(NOW_MS / 1000)]

/** At the test's server, unless the arguments name another. */
function replay(...args: readonly string[]): ReturnType<typeof daytwo> {
  const place = args.includes('--url') ? [] : ['--url', server.url]
  return daytwo('test', 'rules', ...place, ...args)
}

describe('daytwo test rules --replay', () => {
  test('shows the rule of the file beside the one that is loaded', async () => {
    const { code, stdout, stderr } = await replay('--replay', edited, '--alert', 'Down', ...TIMES)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Down (critical)\n')
    expect(stdout).toContain(', every 1m\n')
    expect(stdout).toMatch(/\n {2,}present +edited\n/)
    expect(stdout).toMatch(/\nfor +5m +15m\n/)
    expect(stdout).toMatch(/\nfires +4 +0\n/)
    expect(stdout).toMatch(/\nflaps +3 +0\n/)
    expect(stdout).toMatch(/\nresolved while pending +0 +4\n/)
    expect(stdout).toContain('Both have the same expression.')
  })

  test('a rule that the server does not have stands alone', async () => {
    const { code, stdout } = await replay('--replay', edited, '--alert', 'New', ...TIMES)
    expect(code).toBe(0)
    expect(stdout).toContain('The server has no rule of this name.')
    expect(stdout).toMatch(/\nfires +4\n/)
    expect(stdout).toMatch(/Last of 4:\n {2}\S+Z for 10m, value 0: cluster="prague"/)
  })

  test('without --alert all rules of the file, as JSON one line each', async () => {
    const { code, stdout } = await replay(`--replay=${edited}`, '--format', 'json', '--step', '5m', ...TIMES)
    expect(code).toBe(0)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines).toMatchObject([
      { alertname: 'Down', stepMs: 300_000, present: { fires: 4 }, edited: { fires: 0 } },
      { alertname: 'New', edited: { fires: 4 } },
    ])
  })

  test.each([
    [['--step', '10ms'], 'stepMs: got 10, want whole milliseconds, at least 1000'],
    [['--url', 'http://127.0.0.1:1'], 'cannot reach http://127.0.0.1:1'],
  ])('%j ends with 1 and says why', async (args, message) => {
    const { code, stderr } = await replay('--replay', edited, '--alert', 'Down', ...TIMES, ...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  test.each([
    [['--replay', '/no/such.yaml'], 'cannot read /no/such.yaml'],
    [['--replay', 'EDITED', '--alert', 'Up'], 'has no alerting rule Up'],
    [['--replay', 'EDITED', '--from', 'then'], 'option --from: got "then"'],
    [['--replay', 'EDITED', '--step', 'often'], 'option --step: got "often"'],
    [['--replay', 'EDITED', '--format', 'xml'], 'want text or json'],
    [['--replay', 'EDITED', 'more'], 'got "more", want options only'],
    [['--replay', 'BAD'], 'bad.yaml cannot be used\n'],
  ])('%j is refused with exit code 2', async (args, message) => {
    const bad = file('bad.yaml', `${HEAD}  - alert: A\n    expr: sum(up\n`)
    const { code, stderr } = await daytwo(
      'test',
      'rules',
      ...args.map((arg) => (arg === 'EDITED' ? edited : arg === 'BAD' ? bad : arg)),
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
