import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readServeArguments } from '../../src/cli/serve-options.ts'
import { ROOT } from '../content/content.ts'

const PATH = join(ROOT, 'deploy/systemd/daytwo.service')
const text = readFileSync(PATH, 'utf8')

/** Values by section and key, in order. */
function unitOf(source: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  let section = ''
  for (const line of source.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const heading = /^\[(\w+)\]$/.exec(line)?.[1]
    if (heading !== undefined) {
      section = heading
      continue
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (key === undefined) throw new Error(`got the line ${JSON.stringify(line)}, want KEY=VALUE`)
    const name = `${section}.${key}`
    values.set(name, [...(values.get(name) ?? []), value ?? ''])
  }
  return values
}

const unit = unitOf(text)
const value = (name: string): string | undefined => unit.get(`Service.${name}`)?.at(-1)

describe('the systemd unit', () => {
  test('starts the server with options that exist, and its data folder is the one that the unit owns', () => {
    const [node, main, command, ...options] = value('ExecStart')!.split(' ')
    expect([node, main, command]).toEqual(['/usr/bin/node', '/opt/daytwo/dist/main.js', 'serve'])
    const config = options.indexOf('--config')
    expect(options[config + 1]).toBe('/etc/daytwo/daytwo.yaml')
    const { config: read } = readServeArguments(options.toSpliced(config, 2))
    expect(read.data).toBe(`/var/lib/${value('StateDirectory')!}`)
  })

  test('runs as a user of its own that can become nobody else and write nowhere else', () => {
    expect(value('User')).toBe('daytwo')
    const users = readFileSync(join(ROOT, 'deploy/systemd/daytwo.sysusers.conf'), 'utf8')
    expect(users).toMatch(/^u daytwo /m)
    const wanted = {
      ...{ NoNewPrivileges: 'yes', CapabilityBoundingSet: '', ProtectSystem: 'strict', ProtectHome: 'yes' },
      ...{ PrivateTmp: 'yes', PrivateDevices: 'yes', RestrictNamespaces: 'yes', UMask: '0077' },
    }
    for (const [name, want] of Object.entries(wanted)) expect(value(name), name).toBe(want)
    expect(unit.has('Service.ReadWritePaths')).toBe(false)
  })

  test('lets V8 compile: no memory that is never both written and executed', () => {
    expect(unit.has('Service.MemoryDenyWriteExecute')).toBe(false)
  })

  test('is stopped as the server wants it, has limits of memory, and starts again with pauses', () => {
    expect(value('KillSignal')).toBe('SIGTERM')
    expect(Number.parseInt(value('TimeoutStopSec')!, 10)).toBeGreaterThanOrEqual(60)
    for (const name of ['MemoryHigh', 'MemoryMax', 'Restart', 'RestartSec', 'RestartSteps', 'RestartMaxDelaySec'])
      expect(value(name), name).toBeDefined()
    expect(unit.get('Unit.StartLimitBurst')).toHaveLength(1)
    expect(unit.get('Unit.StartLimitIntervalSec')).toHaveLength(1)
  })
})

/** Keys that systemd before 254 ignores. */
const NEWER = /Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)'/

describe.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd itself', () => {
  /** Where nothing is installed: programs that the unit names stand for themselves. */
  function analyze(...args: readonly string[]): { readonly output: string; readonly status: number | null } {
    const dir = mkdtempSync(join(tmpdir(), 'daytwo-unit-'))
    try {
      const path = join(dir, 'daytwo.service')
      writeFileSync(path, text.replace(/\/usr\/bin\/node\b/, process.execPath))
      const { stdout, stderr, status } = spawnSync('systemd-analyze', [...args, path], { encoding: 'utf8' })
      return { output: stdout + stderr, status }
    } finally {
      rmSync(dir, { recursive: true })
    }
  }

  test('finds nothing wrong with it', () => {
    const { output } = analyze('verify', '--man=no')
    const faults = output.split('\n').filter((line) => line.includes('daytwo.service') && !NEWER.test(line))
    expect(faults).toEqual([])
  })

  test('counts it among the safest', () => {
    const { output } = analyze('security', '--offline=true', '--no-pager')
    const exposure = Number(/exposure level .*: (\d+\.\d)/.exec(output)?.[1])
    expect(exposure).toBeLessThan(2.5)
  })
})
