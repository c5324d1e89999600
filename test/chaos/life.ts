import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { daytwo } from '../cli/run.ts'
import { MAIN, startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { MixedLoad } from './mixed-load.ts'
import type { Target } from './target.ts'

/**
 * One data folder, which many servers have one after the other, with what was sent to them. Samples are of old times, ten
 * seconds apart: flushes come after a few requests.
 */

const RULES = `
groups:
  - name: chaos
    interval: 1s
    rules:
      - { record: chaos:sum, expr: sum by (cluster) (chaos) }
      - { alert: Fires, expr: vector(1) }
`
const HOUR_MS = 3_600_000
/** Long runs share a machine with others. */
export const START_WITHIN_MS = 600_000

export class Life {
  readonly dataPath: string
  /** Another port for each server by default. */
  listen = '127.0.0.1:0'
  readonly load: MixedLoad
  readonly #folder: ReturnType<typeof tempDir>
  #token = ''

  /**
   * @param disk a folder for the data; without it they are beside the rest
   * @param beginsInMs when the data of the load begins
   */
  constructor(name: string, disk?: string, beginsInMs = -HOUR_MS) {
    this.load = new MixedLoad(Date.now() + beginsInMs)
    this.#folder = tempDir(name)
    this.dataPath = join(disk ?? this.#folder.path, 'data')
    mkdirSync(this.dataPath, { mode: 0o700 })
    mkdirSync(this.rulesPath)
    writeFileSync(join(this.rulesPath, 'rules.yaml'), RULES)
  }

  get rulesPath(): string {
    return join(this.#folder.path, 'rules')
  }

  /** Beside the data. */
  get path(): string {
    return this.#folder.path
  }

  args(dataPath = this.dataPath): readonly string[] {
    return [
      ...['serve', '--listen', this.listen, '--data', dataPath, '--retention.raw', '100y'],
      ...['--store.flush-every', '2m', '--ingest.out-of-order', '10s', '--no-own-metrics'],
      ...withoutContent(this.rulesPath),
    ]
  }

  /** The first token, and what loads need before their first request. */
  async begin(): Promise<void> {
    const { stdout } = await daytwo('token', 'add', '--role', 'admin', '--name', 'first', '--data', this.dataPath)
    this.#token = stdout.trim()
    const server = await this.start()
    await this.load.prepare(this.target(server))
    await server.stop()
  }

  start(environment: Readonly<Record<string, string>> = {}, dataPath = this.dataPath): Promise<RunningServer> {
    return startServer(this.args(dataPath), environment, START_WITHIN_MS)
  }

  /** A start that is killed after a time, whatever it did by then. */
  async startAndKill(afterMs: number): Promise<void> {
    const child = spawn(process.execPath, [MAIN, ...this.args()], { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
    await ended
    clearTimeout(timer)
  }

  target(server: Pick<RunningServer, 'url'>, more: Partial<Target> = {}): Target {
    const { url } = server
    return { url, dataPath: this.dataPath, token: this.#token, environment: {}, position: () => 0, ...more }
  }

  remove(): void {
    this.#folder.remove()
  }
}
