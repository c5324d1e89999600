/**
 * One server under measurement: started on a free loopback port with a directory of its own, watched through `/proc`,
 * stopped by its process id. What it costs is read from the kernel: processor time of all threads (user and system),
 * the high-water mark of its memory, and the blocks its directory takes.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface Peer {
  readonly name: string
  readonly version: string
  readonly program: string
  /** @param profileDir where a profile of its processor time goes, if it can make one */
  readonly args: (port: number, dir: string, profileDir: string | undefined) => readonly string[]
  readonly environment?: (dir: string) => Readonly<Record<string, string>>
  readonly writePath: string
  readonly readyPath: string
  /** More parameters for each query: what keeps it from answering out of a cache of answers. */
  readonly queryParams: Readonly<Record<string, string>>
  /** Folders of its directory that are logs, for the figure of the disk without them. */
  readonly logDirs: readonly string[]
}

export interface RunningServer {
  readonly peer: Peer
  readonly port: number
  readonly pid: number
  readonly dir: string
  /** From the start of the process to the first answer that it is ready. */
  readonly readyMs: number
  /** Processor time since its start, all threads. */
  cpuMs(): number
  /** The same of each thread, in the order in which they began; the first is the main thread. */
  threadsCpuMs(): ReadonlyMap<number, number>
  /** The most memory it ever had resident. */
  peakBytes(): number
  /** What it printed. */
  logBytes(): number
  /** Waits until it has hardly used the processor for a second, or for `atMostMs`; says whether it came to rest. */
  settle(atMostMs: number): Promise<boolean>
  stop(): Promise<void>
  /** As a power cut for the process: no chance to write anything. */
  kill(): Promise<void>
}

const START_MS_MAX = 300_000
const STOP_MS_MAX = 120_000
const READY_POLL_MS = 5
const SETTLE_STEP_MS = 500
/** Below this share of one processor a server is at rest. */
const REST_SHARE = 0.04

export async function startServer(peer: Peer, dir: string, profileDir?: string): Promise<RunningServer> {
  const port = await freePort()
  const startMs = performance.now()
  const env = { ...process.env, ...peer.environment?.(dir) }
  const child = spawn(peer.program, peer.args(port, dir, profileDir), { stdio: ['ignore', 'pipe', 'pipe'], env })
  let logBytes = 0
  child.stdout.on('data', (chunk: Buffer) => (logBytes += chunk.length))
  // However this process ends, its servers end with it.
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  // Before its directory is removed, which is told to wait for the exit too.
  process.prependOnceListener('exit', kill)
  child.once('exit', () => process.removeListener('exit', kill))
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    logBytes += chunk.length
    said = (said + chunk.toString()).slice(-2000)
  })
  while (!(await isReady(port, peer.readyPath))) {
    if (child.exitCode !== null || performance.now() > startMs + START_MS_MAX) {
      child.kill('SIGKILL')
      throw new Error(`${peer.name} did not start: ${said}`)
    }
    await wait(READY_POLL_MS)
  }
  const readyMs = performance.now() - startMs
  const pid = child.pid!
  const cpuMs = (): number => readCpuMs(pid)
  return {
    peer,
    port,
    pid,
    dir,
    readyMs,
    cpuMs,
    threadsCpuMs: () => readThreadsCpuMs(pid),
    peakBytes: () => readPeakBytes(pid),
    logBytes: () => logBytes,
    settle: (atMostMs) => settle(cpuMs, atMostMs),
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  }
}

/** What a directory takes on the disk: allocated blocks, not lengths. @param but names of folders left out */
export function diskBytes(dir: string, but: readonly string[] = []): number {
  let bytes = 0
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (!entry.isDirectory()) bytes += lstatSync(path).blocks * 512
    else if (!but.includes(entry.name)) bytes += diskBytes(path, but)
  }
  return bytes
}

async function settle(cpuMs: () => number, atMostMs: number): Promise<boolean> {
  let quiet = 0
  for (const end = performance.now() + atMostMs; performance.now() < end;) {
    const before = cpuMs()
    await wait(SETTLE_STEP_MS)
    quiet = cpuMs() - before < SETTLE_STEP_MS * REST_SHARE ? quiet + 1 : 0
    if (quiet === 2) return true
  }
  return false
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await ended
  clearTimeout(late)
}

async function isReady(port: number, path: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false // nobody listens yet
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  })
}

/** Fields 14 and 15 of `/proc/<pid>/stat`, in ticks; the name before them may hold spaces, but ends with the last `)`. */
function readCpuMs(pid: number): number {
  return cpuMsIn(`/proc/${pid}`)
}

/** A thread that ends meanwhile is left out. */
function readThreadsCpuMs(pid: number): ReadonlyMap<number, number> {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number)
  return new Map(
    threads
      .sort((a, b) => a - b)
      .filter((thread) => existsSync(`/proc/${pid}/task/${thread}/stat`))
      .map((thread) => [thread, cpuMsIn(`/proc/${pid}/task/${thread}`)]),
  )
}

function cpuMsIn(dir: string): number {
  const stat = readFileSync(`${dir}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

function readPeakBytes(pid: number): number {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1]) * 1024
}

const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** The full path of an installed program, or `undefined`. */
export function installed(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((dir) => join(dir, name))
    .find((path) => existsSync(path))
}
