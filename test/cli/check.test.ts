import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeServer, type TestServer } from '../api/test-server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { requirePeer } from '../support/peers.ts'
import { daytwo, daytwoReading, program } from './run.ts'

const folder = tempDir('cli-check')
afterAll(() => {
  folder.remove()
})

function file(name: string, text: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

const GOOD =
  'groups:\n  - name: g\n    rules:\n      - record: up:sum\n        expr: sum(up)\n      - alert: Down\n        expr: up == 0\n'
const BAD = GOOD.replace('sum(up)', 'sum(up')
const REPEATED = `${GOOD}      - record: up:sum\n        expr: sum(up)\n`

describe('daytwo check rules', () => {
  test('good files end with 0', async () => {
    const [a, b] = [file('a.yaml', GOOD), file('b.yaml', GOOD)]
    expect(await daytwo('check', 'rules', a, b)).toEqual({
      code: 0,
      stdout: `Checking ${a}\n  SUCCESS: 2 rules found\n\nChecking ${b}\n  SUCCESS: 2 rules found\n\n`,
      stderr: '',
    })
  })

  test('a bad one ends with 1 and a caret at its place', async () => {
    const path = file('bad.yaml', BAD)
    const { code, stdout, stderr } = await daytwo('check', 'rules', path)
    expect([code, stdout]).toEqual([1, `Checking ${path}\n\n`])
    expect(stderr).toContain('  FAILED:\n')
    expect(stderr).toContain(`${path}:5:`)
    expect(stderr).toMatch(/\n {3,}\d+ \| .*sum\(up\n +\| +\^/)
  })

  test('what is only odd ends with 0, or with 3 when asked to', async () => {
    const path = file('repeated.yaml', REPEATED)
    const lenient = await daytwo('check', 'rules', path)
    expect([lenient.code, lenient.stderr]).toEqual([0, expect.stringContaining('warning: ')])
    expect((await daytwo('check', 'rules', '--lint-fatal', path)).code).toBe(3)
  })

  test.for([
    ['good.yaml', GOOD, []],
    ['bad.yaml', BAD, []],
    ['repeated.yaml', REPEATED, []],
    ['repeated.yaml', REPEATED, ['--lint-fatal']],
    ['repeated.yaml', REPEATED, ['--lint=none', '--lint-fatal']],
    ['repeated.yaml', REPEATED, ['--lint=all', '--lint-fatal']],
    ['good.yaml', GOOD, ['/no/such/file.yaml']],
  ] as const)('promtool ends with the same code for %s', async ([name, text, args], context) => {
    const promtool = requirePeer('promtool', context)
    const path = file(`peer-${name}`, text)
    const theirs = await program(promtool, ['check', 'rules', ...args, path])
    expect((await daytwo('check', 'rules', ...args, path)).code).toBe(theirs.code)
  })

  test('without a file standard input is read', async () => {
    expect(await daytwoReading(GOOD, 'check', 'rules')).toMatchObject({
      code: 0,
      stdout: 'Checking standard input\n  SUCCESS: 2 rules found\n\n',
    })
    expect((await daytwoReading(BAD, 'check', 'rules')).code).toBe(1)
  })

  test('the shipped rules are good', async () => {
    const { code, stderr } = await daytwo('check', 'config', '--lint-fatal')
    expect([code, stderr]).toEqual([0, ''])
  })
})

describe('daytwo check config', () => {
  test('names the options that cannot be', async () => {
    const path = file('bad-config.yaml', 'retention: { row: 30d }\n')
    const { code, stderr } = await daytwo('check', 'config', path)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/FAILED: unknown option retention\.row .*did you mean retention\.raw\?/),
    ])
  })

  test('looks at the content it names', async () => {
    const rules = join(folder.path, 'rules')
    mkdirSync(rules)
    const path = file('config.yaml', `retention.raw: 30d\nrules: ${rules}\n`)
    file('rules/one.yaml', GOOD)
    expect(await daytwo('check', 'config', path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `Checking ${path}\n  SUCCESS: ${path} can be used\n\nChecking ${rules}\n  SUCCESS: 1 rule files\n`,
      ) as string,
    })
    file('rules/two.yaml', BAD)
    const { code, stderr } = await daytwo('check', 'config', '--lint-fatal', path)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${rules}/two.yaml:5:`)])
  })
})

describe('daytwo check query', () => {
  test('prints a good expression as it is read', async () => {
    expect(await daytwo('check', 'query', 'sum  by(job)(up)')).toEqual({
      code: 0,
      stdout: 'Checking the query\n  SUCCESS: sum by (job) (up)\n\n',
      stderr: '',
    })
  })

  test('draws all errors', async () => {
    const { code, stderr } = await daytwo('check', 'query', 'up + rate(up) + abs(1)')
    expect(code).toBe(1)
    expect(stderr.match(/error: expected type/g)).toHaveLength(2)
    expect(stderr).toContain('   1 | up + rate(up) + abs(1)\n     |           ^^\n')
  })

  test('knows experiments when told to', async () => {
    const { code, stderr } = await daytwo('check', 'query', 'limitk(1, up)')
    expect([code, stderr]).toEqual([1, expect.stringContaining('--promql.experimental')])
    expect((await daytwo('check', 'query', '--promql.experimental', 'limitk(1, up)')).code).toBe(0)
  })

  test('draws what is seldom meant', async () => {
    const { code, stderr } = await daytwoReading('rate(temperature[5m])\n', 'check', 'query')
    expect([code, stderr]).toEqual([0, expect.stringContaining('might not be a counter')])
    expect((await daytwo('check', 'query', '--lint-fatal', 'rate(temperature[5m])')).code).toBe(3)
    expect((await daytwo('check', 'query', '--lint-fatal', 'rate(x_total[5m])')).code).toBe(0)
  })
})

describe('daytwo check healthy and ready', () => {
  let server: TestServer
  let url: string
  let readiness = 'ready'
  beforeAll(async () => {
    server = await makeServer({ readiness: () => readiness })
    url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => server.app.close())

  test('a server that is up', async () => {
    expect(await daytwo('check', 'healthy', url)).toEqual({
      code: 0,
      stdout: '  SUCCESS: Daytwo is Healthy.\n',
      stderr: '',
    })
    expect(await daytwo('check', 'ready', url)).toEqual({
      code: 0,
      stdout: '  SUCCESS: Daytwo is Ready.\n',
      stderr: '',
    })
  })

  test('a server that is not ready, and none', async () => {
    readiness = 'replaying the log'
    expect(await daytwo('check', 'ready', url)).toEqual({
      code: 1,
      stdout: '',
      stderr: '  FAILED: replaying the log\n',
    })
    readiness = 'ready'
    expect(await daytwo('check', 'healthy', 'http://127.0.0.1:1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('FAILED: cannot reach http://127.0.0.1:1') as string,
    })
  })
})

test.each([
  [[], 'daytwo check: got "", want rules, config, query, healthy or ready'],
  [['rule'], 'got "rule"'],
  [['rules', '--lint', 'some'], 'option lint: got "some", want one of all, duplicate-rules, none'],
  [['rules', '--lints'], 'unknown option --lints'],
])('%j is refused with exit code 2', async (args, message) => {
  const { code, stderr } = await daytwo('check', ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
