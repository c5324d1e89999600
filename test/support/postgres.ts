import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'

/** Debian's version first; then whatever the path has. */
const FOLDERS = ['/usr/lib/postgresql/15/bin', ...(process.env['PATH'] ?? '').split(':')]

/** The user of the database. Its address has no password: the server listens on loopback only. */
const USER = 'daytwo'

/** The folder of a real PostgreSQL, or undefined where there is none; in CI that is an error. */
export function findPostgres(): string | undefined {
  const folder = FOLDERS.find((path) => existsSync(join(path, 'initdb')) && existsSync(join(path, 'postgres')))
  if (folder === undefined && process.env['CI'] === 'true') {
    throw new Error('CI needs PostgreSQL (Debian package postgresql), and it is not installed')
  }
  return folder
}

export interface PostgresServer {
  /** Of the process that started all others. */
  readonly pid: number
  /** With its data. */
  readonly folder: string
  /** `postgres://...` of a new, empty database on this server. */
  createDatabase(): Promise<string>
  /** Kills it, as a power cut would. What was committed remains in its folder. */
  kill(): Promise<void>
  /** After `kill`: the same address and data. */
  start(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/**
 * A real PostgreSQL in a temporary folder, run as an unprivileged user (PostgreSQL refuses root).
 * `isDurable` waits for the disk at each commit, which only the loss of power needs.
 */
export async function startPostgres(folder: string, isDurable = false): Promise<PostgresServer> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-pg-'))
  const owner = ownerOf()
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(dir, owner.uid, owner.gid)
  chmodSync(dir, 0o700)
  const data = join(dir, 'data')
  execFileSync(
    join(folder, 'initdb'),
    ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...owner, cwd: dir, stdio: 'pipe' },
  )
  const port = await freePort()
  let child: ChildProcess | undefined
  let count = 0
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', dir]
  if (!isDurable) options.push('-c', 'fsync=off', '-c', 'full_page_writes=off')
  const address = (database: string): string => `postgres://${USER}@127.0.0.1:${port}/${database}`
  const server: PostgresServer = {
    get pid() {
      return child?.pid ?? 0
    },
    folder: dir,
    start: async () => {
      child = spawn(join(folder, 'postgres'), options, { ...owner, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
      await listening(child)
    },
    createDatabase: async () => {
      const name = `test_${++count}`
      const client = new Client(address('postgres'))
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return address(name)
    },
    // The postmaster's children end when it does.
    kill: () => end(child, 'SIGKILL'),
    stop: async () => {
      await end(child, 'SIGQUIT')
      rmSync(dir, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

function ownerOf(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

async function end(child: ChildProcess | undefined, signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

function listening(child: ChildProcess): Promise<void> {
  const { stderr } = child
  if (stderr === null) throw new Error('the output of PostgreSQL is not read')
  const lines: string[] = []
  const output = createInterface({ input: stderr })
  return new Promise((resolve, reject) => {
    output.on('line', (line) => {
      lines.push(line)
      if (line.includes('database system is ready to accept connections')) resolve()
    })
    output.on('close', () => {
      reject(new Error(`PostgreSQL ended before it listened:\n${lines.join('\n')}`))
    })
  })
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
