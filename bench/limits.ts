/**
 * What attacks on the limits of the server cost it: peak memory, bytes of its log, the longest time in which its main thread
 * did nothing else (its own metric), and its answers by status. Each attack meets a fresh server with the options that it
 * ships with. `--only TEXT` runs those with the text in their name.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { attacks, type Attack } from './limits/attacks.ts'
import { Victim } from './limits/victim.ts'
import { startServer, type Peer } from './peers/server.ts'

const MAIN = join(import.meta.dirname, '../dist/main.js')
const NO_CONTENT = join(import.meta.dirname, '../test/support/no-content')
const SMALL_DISK_BYTES = '48m'

interface LimitsOptions {
  readonly quick?: boolean
  readonly only?: string
}

/** Prints one table. `quick`: a tenth of the alerts, queries and series. */
export async function run({ quick = false, only = '' }: LimitsOptions = {}): Promise<void> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not there: run \`npm run build\` first`)
  console.log('| attack | peak memory | log | longest block of main | its processor time | answers | |')
  console.log('|---|---:|---:|---:|---:|---|---|')
  for (const attack of attacks(quick)) if (attack.name.includes(only)) await runOne(attack)
  console.log(
    `\nload ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  )
}

async function runOne(attack: Attack): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-limits-'))
  const small = join(dir, 'small')
  let isMounted = false
  try {
    for (const folder of ['rules', 'data', 'small']) mkdirSync(join(dir, folder))
    const options = attack.prepare?.(dir) ?? []
    if (options.includes(`--data=${small}`)) isMounted = mount(small)
    const server = await startServer(serverOf(options), dir)
    process.kill(server.pid, 'SIGUSR2')
    const victim = new Victim(server)
    const remark = await attack.run(victim).catch((thrown: unknown) => `FAILED: ${String(thrown)}`)
    const { peakBytes, logBytes, blockedMs, statuses } = await victim.end()
    const answers = [...statuses].sort().map(([status, count]) => `${count} x ${status}`)
    const figures = [
      mib(peakBytes),
      `${(logBytes / 1000).toFixed(1)} kB`,
      `${blockedMs.toFixed(0)} ms`,
      `${mainCpuMs(dir).toFixed(0)} ms`,
    ]
    console.log(`| ${[attack.name, ...figures, answers.join(', '), remark].join(' | ')} |`)
  } finally {
    if (isMounted) execFileSync('umount', ['--lazy', small])
    rmSync(dir, { recursive: true, force: true })
  }
}

function serverOf(more: readonly string[]): Peer {
  return {
    name: 'Daytwo',
    version: '',
    program: process.execPath,
    environment: (dir) => ({ MAIN_CPU_FILE: mainCpuFile(dir) }),
    args: (port, dir) => [
      ...['--import', join(import.meta.dirname, 'limits/main-cpu.mjs')],
      ...[MAIN, 'serve', '--listen', `127.0.0.1:${port}`],
      ...(more.some((option) => option.startsWith('--data')) ? [] : ['--data', join(dir, 'data')]),
      ...(more.includes('--rules')
        ? []
        : ['--rules', join(dir, 'rules'), '--runbooks', NO_CONTENT, '--dashboards', NO_CONTENT]),
      ...more,
    ],
    writePath: '/api/v1/write',
    readyPath: '/-/ready',
    queryParams: {},
    logDirs: [],
  }
}

/** False where this process may not mount. */
function mount(path: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_BYTES}`, 'tmpfs', path], { stdio: 'pipe' })
    return true
  } catch {
    console.log('A small disk cannot be mounted: the full disk is not full.')
    return false
  }
}

function mainCpuFile(dir: string): string {
  return join(dir, 'main-cpu')
}

function mainCpuMs(dir: string): number {
  return existsSync(mainCpuFile(dir)) ? Number(readFileSync(mainCpuFile(dir), 'utf8')) : 0
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`
}
