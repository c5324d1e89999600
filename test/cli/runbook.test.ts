import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SMALL_CONTENT } from '../catalog/checks/small-content.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

const folder = tempDir('cli-runbook')
afterAll(() => {
  folder.remove()
})

const RULE = `groups:
  - name: team
    rules:
      - alert: TeamQueueFull
        expr: queue_length > 10
        labels: { severity: warning, operator_health_impact: none }
        annotations: { summary: 'The queue on {{ $labels.cluster }} is full.' }
`
for (const [path, text] of Object.entries({ ...SMALL_CONTENT, 'alert-rules/team.yaml': RULE })) {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true })
  writeFileSync(join(folder.path, path), text)
}
const place = (name: string): string => join(folder.path, name)
const options = ['--rules', place('alert-rules'), '--runbooks', place('runbooks'), '--dashboards', place('dashboards')]
const known = Object.keys(SMALL_CONTENT)
  .find((path) => path.startsWith('runbooks/'))!
  .slice(9, -3)

test('runbook new writes the page of a rule, once', async () => {
  const path = join(place('runbooks'), 'TeamQueueFull.md')
  expect(await daytwo('runbook', 'new', 'TeamQueueFull', ...options)).toEqual({
    code: 0,
    stdout: `wrote ${path}; edit it, then run daytwo lint\n`,
    stderr: '',
  })
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('The queue on {{cluster}} is full.\n\nThe rule:\n\n```promql\nqueue_length > 10\n```')
  writeFileSync(path, text.replace('is full', 'is quite full'))
  const again = await daytwo('runbook', 'new', 'TeamQueueFull', ...options)
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is the runbook of TeamQueueFull already')])
  expect(readFileSync(path, 'utf8')).toContain('is quite full')
})

test('an alert of a cluster has no rule, and gets a page too', async () => {
  expect((await daytwo('runbook', 'new', 'ClusterOnly', ...options)).code).toBe(0)
  expect(readFileSync(join(place('runbooks'), 'ClusterOnly.md'), 'utf8')).not.toContain('The rule:')
})

test.each([
  [['new', '../x'], 'got "../x", want a name of letters, digits, _ and -'],
  [['new'], 'got 0 names, want the name of one alert'],
  [['new', 'A', 'B'], 'got 2 names, want the name of one alert'],
  [['old', 'A'], 'got "old", want new'],
  [['new', known], 'already'],
])('runbook %j is refused', async (args, message) => {
  const { code, stderr } = await daytwo('runbook', ...args, ...options)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
