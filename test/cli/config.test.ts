import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { requirePeer } from '../support/peers.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

const folder = tempDir('cli-config')
afterAll(() => {
  folder.remove()
})

function file(name: string, text: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

const ROUTES = file(
  'am.yml',
  `
global: { resolve_timeout: 5m }
route:
  receiver: rest
  group_by: [alertname]
  routes:
    - matchers: ['severity="critical"']
      receiver: oncall
      continue: true
      routes:
        - { matchers: ['team="virt"'], receiver: virt }
        - { match_re: { team: 'net|storage' }, receiver: infra }
    - matchers: ['alertname=~"HCO.*"']
      receiver: hco
      routes:
        - { matchers: ['severity!~"info|none"'], receiver: hco-urgent }
    - { match: { severity: info }, receiver: quiet }
inhibit_rules: [{ source_matchers: ['a=b'], target_matchers: ['c=d'] }]
receivers: [{ name: rest }, { name: oncall }, { name: virt }, { name: infra }, { name: hco }, { name: hco-urgent }, { name: quiet }]
`,
)

const ALERTS: readonly (readonly string[])[] = [
  [],
  ['severity=critical', 'alertname=Foo'],
  ['severity=critical', 'alertname=HCOx', 'team=virt'],
  ['severity=critical', 'team=storage'],
  ['alertname=HCOx'],
  ['alertname=HCOx', 'severity=info'],
  ['severity="info"'],
  ['severity=info,alertname=Foo'],
  ['a="x y"', 'severity=none'],
]

describe('daytwo config routes', () => {
  test('shows the tree', async () => {
    const { code, stdout } = await daytwo('config', 'routes', '--config', ROUTES)
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "Routing tree:
      .
      └── default-route  receiver: rest
          ├── {severity="critical"}  continue: true  receiver: oncall
          │   ├── {team="virt"}  receiver: virt
          │   └── {team=~"^(?:net|storage)$"}  receiver: infra
          ├── {alertname=~"HCO.*"}  receiver: hco
          │   └── {severity!~"info|none"}  receiver: hco-urgent
          └── {severity="info"}  receiver: quiet
      "
    `)
  })

  test('says where an alert goes, and whether that is what was expected', async () => {
    const run = (...args: readonly string[]) => daytwo('config', 'routes', 'test', '--config', ROUTES, ...args)
    expect(await run('severity=critical', 'alertname=HCOx')).toEqual({
      code: 0,
      stdout: 'oncall,hco-urgent\n',
      stderr: '',
    })
    expect((await run('--verify.receivers=oncall,hco-urgent', 'severity=critical', 'alertname=HCOx')).code).toBe(0)
    const wrong = await run('--verify.receivers', 'oncall', 'severity=critical', 'alertname=HCOx')
    expect([wrong.code, wrong.stderr]).toEqual([1, 'WARNING: Expected receivers did not match resolved receivers.\n'])
  })

  test.each([
    [['routes', 'test', 'a=b'], /want --config FILE/],
    [['routes', 'walk', '--config', ROUTES], /want show or test/],
    [['receivers'], /want routes/],
    [['routes', 'test', '--config', ROUTES, 'severity'], /cannot read the label "severity"/],
    [['routes', 'test', '--config', ROUTES, 'a!=b'], /got !=, want =/],
    [['routes', '--config', join(folder.path, 'none.yml')], /cannot read .*none.yml/],
    [['routes', '--config', file('bad.yml', 'route: { receiver: x }')], /no receiver named "x"/],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await daytwo('config', ...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  test('the same receivers and trees as amtool', { timeout: 60_000 }, async (context) => {
    const amtool = requirePeer('amtool', context)
    const asked = (...args: readonly string[]): string => {
      const { stdout } = spawnSync(amtool, ['config', 'routes', ...args, `--config.file=${ROUTES}`], {
        encoding: 'utf8',
      })
      return stdout
    }
    const lines = (text: string): readonly string[] =>
      text
        .replaceAll('\u00a0', ' ')
        .split('\n')
        .filter((line) => line.trim() !== '')
    const { stdout: shown } = await daytwo('config', 'routes', 'show', '--config', ROUTES)
    expect(lines(shown)).toEqual(lines(asked('show')))
    for (const labels of ALERTS) {
      const ours = await daytwo('config', 'routes', 'test', '--tree', '--config', ROUTES, ...labels)
      expect(lines(ours.stdout), labels.join(' ')).toEqual(lines(asked('test', '--tree', ...labels)))
    }
  })
})

describe('daytwo check config on a notification configuration', () => {
  test('says what amtool says of a good one', async (context) => {
    const amtool = requirePeer('amtool', context)
    const { stdout } = spawnSync(amtool, ['check-config', ROUTES], { encoding: 'utf8' })
    expect(await daytwo('check', 'config', ROUTES)).toEqual({ code: 0, stdout, stderr: '' })
  })

  test('shows carets in a bad one, and ends with 1', async () => {
    const path = file('wrong.yml', 'route:\n  receiver: a\n  group_wait: soon\nreceivers:\n  - name: b\n')
    const { code, stdout, stderr } = await daytwo('check', 'config', path)
    expect([code, stdout]).toEqual([1, `Checking '${path}'  FAILED\n\n`])
    expect(stderr).toContain(`${path}:3:15: error: group_wait: got "soon", want a duration`)
    expect(stderr).toMatch(/receiver: a\n +\| +\^/)
  })

  test('what is only odd ends with 0, or with 3 when asked to', async () => {
    const path = file('odd.yml', 'global: { opsgenie_api_key: x }\nroute: { receiver: a }\nreceivers: [{ name: a }]\n')
    expect((await daytwo('check', 'config', path)).code).toBe(0)
    expect((await daytwo('check', 'config', '--lint-fatal', path)).code).toBe(3)
  })
})
