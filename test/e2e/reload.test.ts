import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RuleTests } from '../../src/contract/replay.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// Rules, runbooks and unit tests are edited while the server as it ships runs on them.

const rule = (name: string): string =>
  `groups: [{ name: g, interval: 1s, rules: [{ alert: ${name}, expr: vector(1) }] }]\n`
const page = (name: string): string =>
  `# ${name}\n\n${['Meaning', 'Impact', 'Diagnosis', 'Mitigation'].map((title) => `## ${title}\n\nText.\n`).join('\n')}`

const folder = tempDir('reload')
let server: RunningServer

beforeAll(async () => {
  for (const name of ['rules', 'rules/tests', 'runbooks', 'dashboards']) mkdirSync(join(folder.path, name))
  write('rules/a.yaml', rule('One'))
  const folders = ['rules', 'runbooks', 'dashboards'].flatMap((name) => [`--${name}`, join(folder.path, name)])
  server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data'), ...folders])
})
afterAll(async () => {
  await server.stop()
  folder.remove()
})

function write(path: string, text: string): void {
  writeFileSync(join(folder.path, path), text)
}

async function firing(): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/v1/alerts`)
  const { data } = (await answer.json()) as { data: { alerts: { labels: Record<string, string>; state: string }[] } }
  return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname'] ?? '')
}

function untilFiring(...names: readonly string[]): Promise<true> {
  const wanted = JSON.stringify(names)
  return until(`${wanted} to fire`, async () => (JSON.stringify(await firing()) === wanted ? true : undefined))
}

const reloads = async (): Promise<string[]> => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return text.split('\n').filter((line) => /^daytwo_(reloads_total|config_last_reload_successful)/.test(line))
}

test('a file that changes is read again, and the old alert ends', async () => {
  await untilFiring('One')
  write('rules/a.yaml', rule('Two'))
  await untilFiring('Two')
  write('runbooks/Two.md', page('Two'))
  await until('the page', async () => ((await fetch(`${server.url}/api/runbooks/v1/pages/Two`)).ok ? true : undefined))
})

test('a bad one is refused with a caret, in the log and in the answer, and the old rules go on', async () => {
  write('rules/a.yaml', rule('Three').replace('vector(1)', 'vector(1'))
  await until('the refusal', () => (server.output().includes('content was not reloaded') ? true : undefined))
  expect(server.output()).toMatch(/a\.yaml:1:.*\^/)
  const answer = await fetch(`${server.url}/-/reload`, { method: 'POST' })
  expect([answer.status, await answer.text()]).toEqual([
    500,
    expect.stringMatching(/a\.yaml:1:\d+: error: .*\n.*\n.*\^/),
  ])
  expect(await reloads()).toContain('daytwo_config_last_reload_successful 0')
  expect(await (await fetch(`${server.url}/debug/rules`)).json()).toMatchObject({
    reload: { isSuccessful: false, cause: 'request', error: expect.stringContaining('a.yaml:1:') as string },
    groups: [{ rules: [{ name: 'Two', health: 'ok' }] }],
  })
  await untilFiring('Two')
  write('rules/a.yaml', rule('Three'))
  await untilFiring('Three')
})

test('SIGHUP and a request read again, too', async () => {
  process.kill(server.pid, 'SIGHUP')
  const line = 'daytwo_reloads_total{cause="signal",outcome="ok"} 1'
  await until('the signal', async () => ((await reloads()).includes(line) ? true : undefined))
  expect((await fetch(`${server.url}/-/reload`, { method: 'PUT' })).status).toBe(200)
  expect(await reloads()).toContain('daytwo_config_last_reload_successful 1')
})

test('the unit tests that mention an alert are run when asked for', async () => {
  const alertCase = (at: string, count: number): string =>
    `{ eval_time: ${at}, alertname: Three, exp_alerts: [${Array.from({ length: count }, () => '{}').join(', ')}] }`
  write(
    'rules/tests/a.yaml',
    `rule_files: [../a.yaml]\ntests:\n  - { name: good, alert_rule_test: [${alertCase('0m', 1)}, ${alertCase('5m', 1)}] }\n` +
      `  - { name: bad, alert_rule_test: [${alertCase('1m', 0)}] }\n  - { name: other }\n`,
  )
  write('rules/tests/b.yaml', 'tests: Three')
  const answer = await fetch(`${server.url}/api/fleet/v1/rules/tests?alertname=Three`)
  const body = (await answer.json()) as RuleTests
  expect([...Value.Errors(RuleTests, body)]).toEqual([])
  expect(body.tests.map(({ file, name, passed, cases }) => [file, name, passed, cases])).toEqual([
    [
      'rules/tests/a.yaml',
      'good',
      true,
      [
        { evalTime: '0s', alerts: 1 },
        { evalTime: '5m', alerts: 1 },
      ],
    ],
    ['rules/tests/a.yaml', 'bad', false, [{ evalTime: '1m', alerts: 0 }]],
    ['rules/tests/b.yaml', '', false, []],
  ])
  expect(body.tests[1]!.failures[0]).toContain('Three at 1m: expected 0, got 1')
  expect(body.tests[2]!.failures[0]).toContain('b.yaml:1:8: error')
  const none = await fetch(`${server.url}/api/fleet/v1/rules/tests?alertname=Nobody`)
  expect(await none.json()).toEqual({ tests: [] })
  expect((await fetch(`${server.url}/api/fleet/v1/rules/tests`)).status).toBe(400)
})
