import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { OPTIONS } from '../../src/config/config.ts'
import { readServeArguments } from '../../src/cli/serve-options.ts'
import { ROOT } from '../content/content.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { daytwoArguments, DOCUMENTS, proseOf, shellCommands, shellFences, textOf } from './documents.ts'

// Each command that the documentation shows is run, in this process, on a server that was started as the documentation says.

const folder = tempDir('docs')
const path = (name: string): string => join(folder.path, name)
const data = path('data')
let server: RunningServer | undefined
/** Of a role that may do everything. */
let adminToken = ''
let restores = 0

const printed: string[] = []

async function daytwo(...args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args
  const entry = COMMANDS.find((command) => command.name === name)
  if (entry === undefined) throw new Error(`daytwo ${name}: no such command`)
  printed.length = 0
  const note = (...texts: unknown[]): void => void printed.push(texts.map(String).join(' '))
  const spies = [vi.spyOn(console, 'log').mockImplementation(note), vi.spyOn(console, 'error').mockImplementation(note)]
  try {
    return await (await entry.load()).run(rest)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

beforeAll(async () => {
  mkdirSync(data)
  const add = async (...args: string[]): Promise<string> => {
    await daytwo('token', 'add', '--data', data, ...args)
    return printed.find((line) => !line.includes(' '))?.trim() ?? ''
  }
  await add('--role', 'viewer', '--name', 'to-be-removed') // its id is 1
  adminToken = await add('--role', 'admin', '--name', 'admin')
  const ingest = await add('--role', 'ingest', '--name', 'prague', '--cluster', 'prague')
  writeFileSync(path('token'), adminToken)
  writeFileSync(path('notify.yaml'), notifyExample())
  writeFileSync(path('dashboard.json'), JSON.stringify({ title: 'Mine', schemaVersion: 39, panels: [] }))
  server = await startServer([...serveCommand(), ...withoutContent()])
  const { url } = server
  const now = { timeMs: Date.now(), value: 1 }
  const body = writeBody(
    ['up', 'kubevirt_hco_system_health_status'].map((name) => ({
      labels: { __name__: name, job: 'x' },
      samples: [now],
    })),
  )
  expect((await postWrite(url, body, { authorization: `Bearer ${ingest}` })).status).toBe(204)
  await until('the cluster to be known', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const answer = await fetch(`${url}/api/fleet/v1/clusters/prague`, { headers })
    return answer.status === 200 ? true : undefined
  })
})
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

/** The first server that the guide starts, on loopback. */
function serveCommand(): readonly string[] {
  const shown = shownCommands('docs/getting-started.md').find(([name]) => name === 'serve')
  return replaced(shown!).map((word) => (word === '0.0.0.0:4318' ? '127.0.0.1:0' : word))
}

/** The example of the page, with secrets that are there. */
function notifyExample(): string {
  const [yaml = ''] = [...textOf('docs/integrations/alertmanager.md').matchAll(/```yaml\n(route:[\s\S]*?)```/g)].map(
    ([, text]) => text!,
  )
  writeFileSync(path('secret'), 'https://hooks.example/x')
  return yaml.replaceAll(/\/etc\/daytwo\/[\w-]+/g, path('secret'))
}

function shownCommands(file: string): readonly (readonly string[])[] {
  return shellFences(textOf(file)).flatMap((fence) =>
    shellCommands(fence).flatMap((words) => {
      const args = daytwoArguments(words)
      return args === undefined ? [] : [args]
    }),
  )
}

const HAS_DATA = new Set(['token', 'audit', 'session', 'fleet', 'backup', 'doctor'])

/** Places and names of the documentation become those of this test. */
function replaced(shown: readonly string[]): readonly string[] {
  const [name = ''] = shown
  const address = server?.url ?? 'http://127.0.0.1:4318'
  const restored = path(`restored-${name === 'restore' ? ++restores : restores}`)
  const words = shown.map((word) =>
    word
      .replace(/^\/var\/lib\/daytwo(?:-restored)?$/, name === 'restore' || name === 'doctor' ? restored : data)
      .replace(/^\/backup\//, `${folder.path}/`)
      .replace(/^https:\/\/daytwo\.example$|^http:\/\/127\.0\.0\.1:4318$/, address)
      .replace(/^(token|notify\.yaml|dashboard\.json)$/, (file, _name, at) =>
        shown.indexOf(file) === 0 && at === 0 ? file : path(file),
      )
      .replace(/^\/etc\/daytwo\/daytwo\.yaml$/, join(ROOT, 'deploy/kubernetes/base/daytwo.yaml'))
      .replace(/^ID$/, '1'),
  )
  return HAS_DATA.has(name) && !words.includes('--data') && !words.includes('--verify')
    ? [...words, '--data', data]
    : words
}

/** Those that run for long: their arguments are read, and nothing else. */
const DRY = new Set(['serve', 'demo', 'sim', 'lint', 'migrate'])

/** What else is a good end. */
const GOOD_CODES: ReadonlyMap<string, readonly number[]> = new Map([
  // Data of the last second may show as a difference while a server runs.
  ['fleet', [0, 1]],
  // The cluster reports no settings, and the baseline is not known.
  ['configuration', [0, 1, 2, 3]],
  ['verdict', [0, 3, 4, 5]],
  // Alerts and upgrades of the examples do not exist.
  ['review', [0, 3]],
])

/** Catalogs and graphs are files of the reader. */
function isDry([name = '', verb]: readonly string[]): boolean {
  return DRY.has(name) || (name === 'import' && verb !== 'dashboard')
}

describe('commands in fences', () => {
  const files = DOCUMENTS.filter((file) => !file.startsWith('docs/reference/'))

  test('are found', () => {
    expect(files.flatMap(shownCommands).length).toBeGreaterThan(40)
  })

  test.each(files.flatMap((file) => shownCommands(file).map((shown) => [file, shown.join(' '), shown] as const)))(
    '%s: daytwo %s',
    async (_file, _text, shown) => {
      const [name = '', ...rest] = shown
      if (name === 'serve') readServeArguments(replaced(rest))
      if (isDry(shown)) await checkOptions(shown)
      else {
        const args = await withNewestEntry(replaced(shown))
        const code = await daytwo(...args)
        expect(GOOD_CODES.get(name) ?? [0], printed.join('\n')).toContain(code)
      }
    },
  )
})

/** `--expect ID:HASH` takes the newest entry of the audit. */
async function withNewestEntry(args: readonly string[]): Promise<readonly string[]> {
  if (!args.includes('ID:HASH')) return args
  await daytwo('audit', 'verify', '--data', data)
  const newest = printed.find((line) => /^\d+:[0-9a-f]{64}$/.test(line.trim()))?.trim() ?? ''
  return args.map((arg) => (arg === 'ID:HASH' ? newest : arg))
}

describe('commands in sentences', () => {
  const spans = DOCUMENTS.flatMap((file) =>
    [...proseOf(textOf(file)).matchAll(/`daytwo ((?!COMMAND)[^`]+)`/g)].map(
      ([, text]) => [file, text!.replaceAll(/\s+/g, ' ')] as const,
    ),
  )

  test.each(spans)('%s: `daytwo %s` is in the help', async (_file, text) => {
    await checkOptions(shellCommands(text)[0]!)
  })
})

/** The command exists, its help names the verb and every option. */
async function checkOptions([name = '', ...rest]: readonly string[]): Promise<void> {
  const entry = COMMANDS.find((command) => command.name === name)
  expect(entry, `daytwo ${name}`).toBeDefined()
  const help = (await entry!.load()).help()
  const [verb = ''] = rest
  if (/^[a-z]+$/.test(verb)) expect(help).toMatch(new RegExp(`daytwo ${name} ${verb}\\b`))
  const isOfServer = /options of `?daytwo serve/.test(help)
  for (const option of rest.filter((word) => word.startsWith('--') && word !== '--help')) {
    const key = option.slice(2).split('=')[0]!.replace(/^no-/, '')
    if (!(isOfServer && (key === 'config' || Object.hasOwn(OPTIONS, key)))) expect(help, option).toContain(`--${key}`)
  }
}

test('a command that does not exist, and one with an unknown option, would be found', async () => {
  await expect(daytwo('serf')).rejects.toThrow('no such command')
  await expect(daytwo('token', 'list', '--dta', data)).rejects.toThrow('unknown option --dta')
  await expect(checkOptions(['lint', '--formt'])).rejects.toThrow()
})

test('the package has what the documentation refers to', () => {
  const { files, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    files: readonly string[]
    scripts: Readonly<Record<string, string>>
  }
  expect(files).toContain('docs')
  const named = DOCUMENTS.flatMap((file) => [...textOf(file).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!))
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
})
