import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

const folder = tempDir('cli-test-rules')
afterAll(() => {
  folder.remove()
})

function file(name: string, text: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

file('rules.yaml', 'groups: [{ name: g, rules: [{ alert: Down, expr: up == 0, labels: { severity: warning } }] }]')
const TESTS = `rule_files: [rules.yaml]
tests:
  - name: goes down
    input_series: [{ series: 'up{job="a"}', values: 1 0 }]
    alert_rule_test:
      - eval_time: 1m
        alertname: Down
        exp_alerts:
          - exp_labels: { job: a, severity: warning }
  - input_series: [{ series: 'up{job="<b>"}', values: 0 0 }]
    alert_rule_test:
      - eval_time: 0m
        alertname: Down
        exp_alerts:
          - exp_labels: { job: <b>, severity: critical }
`
const good = file('good.yaml', TESTS.replace('critical', 'warning'))
const bad = file('bad.yaml', TESTS)

test('tests that pass end with 0', async () => {
  expect(await daytwo('test', 'rules', good)).toEqual({
    code: 0,
    stdout: `Testing ${good}\n  SUCCESS: 2 tests\n\n`,
    stderr: '',
  })
})

test('one that fails ends with 1, a caret, and what was expected and got', async () => {
  const { code, stdout, stderr } = await daytwo('test', 'rules', good, bad)
  expect([code, stdout]).toEqual([1, `Testing ${good}\n  SUCCESS: 2 tests\n\nTesting ${bad}\n\n`])
  expect(stderr).toBe(`  FAILED: 1 of 2 tests
  test at line 10
${bad}:12:9: error: Down at 0s: not what was expected
  12 |       - eval_time: 0m
     |         ^^^^^^^^^
    expected:
    - labels {alertname="Down", job="<b>", severity="critical"}
      annotations {}
    got:
    + labels {alertname="Down", job="<b>", severity="warning"}
      annotations {}
`)
})

test('only what is asked for is run, and only what differs is shown', async () => {
  expect((await daytwo('test', 'rules', '--run', 'down$', '--run', 'never', bad)).stdout).toContain('SUCCESS: 1 test\n')
  const twice = file(
    'twice.yaml',
    TESTS.replace('job: a, severity: warning }', 'job: a, severity: warning }\n          - exp_labels: { job: b }'),
  )
  const { stderr } = await daytwo('test', 'rules', '--diff', '--run', 'goes', twice)
  expect(stderr).toContain('expected 2, got 1')
  expect(stderr).toContain('    got: nothing')
  expect(stderr).not.toContain('job="a"')
})

test('outcomes are written as JUnit XML', async () => {
  const [out, broken] = [join(folder.path, 'out.xml'), file('broken.yaml', 'tests: 1')]
  expect((await daytwo('test', 'rules', '--junit', out, bad, broken)).code).toBe(1)
  const xml = readFileSync(out, 'utf8')
  expect(xml).toContain(`<testsuite name="${bad}" tests="2" failures="1" errors="0">`)
  expect(xml).toContain('<testcase name="goes down"/>')
  expect(xml).toContain('<failure>')
  expect(xml).toContain('job=&quot;&lt;b&gt;&quot;')
  expect(xml).toContain(`<testsuite name="${broken}" tests="0" failures="0" errors="1">`)
})

test('a file that cannot be used, or is not there, ends with 1 and says so; no file at all is a mistake', async () => {
  const missing = join(folder.path, 'none.yaml')
  const absent = await daytwo('test', 'rules', missing)
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('cannot be read')])
  expect((await daytwo('test', 'rules')).code).toBe(2)
  expect((await daytwo('test', 'rulez', good)).stderr).toContain('want rules')
  const warned = await daytwo('test', 'rules', file('w.yaml', TESTS.replace('rules.yaml', 'no-*.yaml')))
  expect([warned.code, warned.stderr]).toEqual([1, expect.stringContaining('warning: no file is no-*.yaml')])
})
