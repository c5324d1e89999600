import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Random } from '../../sim/random.ts'
import { reservePort } from '../../src/runtime/reserve-port.ts'
import { daytwo } from '../cli/run.ts'
import { startFakeWebhook, type FakeWebhook } from '../support/fake-webhook.ts'
import { findPeer } from '../support/peers.ts'
import { findPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { startVictoriaMetrics, type RunningVictoriaMetrics } from '../support/victoria-metrics.ts'
import { START_WITHIN_MS } from './life.ts'
import type { Target } from './target.ts'

/** Three processes with data folders of their own, PostgreSQL, VictoriaMetrics and a receiver of notifications. */

export const PROCESSES = ['a', 'b', 'c'] as const
export type Part = (typeof PROCESSES)[number] | 'postgres' | 'victoria'
export const PARTS: readonly Part[] = [...PROCESSES, 'postgres', 'victoria']

const RULES = `
groups:
- name: toggles
  interval: 1s
  rules:
  - { alert: Toggled, expr: 'max by (cluster, number) (last_over_time(chaos_toggle[15m])) == 1', labels: { severity: warning } }
- name: recorded
  interval: 1s
  rules:
  - { record: 'chaos:toggled:count', expr: 'count by (cluster) (last_over_time(chaos_toggle[15m]) == 1)' }
`
const NOTIFY = (url: string): string => `
route: { receiver: hook, group_by: [alertname, number], group_wait: 0s, group_interval: 1s, repeat_interval: 12h }
receivers:
- name: hook
  webhook_configs: [{ url: '${url}', send_resolved: true }]
`

/** Why the scenario cannot run here; undefined: it can. Throws in CI. */
export function missingForDeployment(): string | undefined {
  if (findPostgres() === undefined) return 'PostgreSQL is not installed'
  return findPeer('victoria-metrics') === undefined ? 'VictoriaMetrics is not installed' : undefined
}

export interface Leased {
  readonly kind: string
  readonly name: string
  readonly process: string
}

export class DeploymentLife {
  readonly #folder = tempDir('deployment')
  readonly #ports = new Map<string, number>()
  readonly #servers = new Map<string, RunningServer>()
  #postgres!: PostgresServer
  #victoria!: RunningVictoriaMetrics
  #url = ''
  #token = ''
  webhook!: FakeWebhook

  async begin(): Promise<void> {
    this.#postgres = await startPostgres(findPostgres()!)
    this.#url = await this.#postgres.createDatabase()
    this.#victoria = await startVictoriaMetrics(findPeer('victoria-metrics')!)
    this.webhook = await startFakeWebhook()
    mkdirSync(join(this.#folder.path, 'rules'))
    writeFileSync(join(this.#folder.path, 'rules', 'rules.yaml'), RULES)
    writeFileSync(join(this.#folder.path, 'notify.yaml'), NOTIFY(this.webhook.url))
    for (const name of PROCESSES) {
      mkdirSync(this.#dataOf(name), { mode: 0o700 })
      this.#ports.set(name, await reservePort('127.0.0.1'))
    }
    const made = await daytwo(
      ...[
        'token',
        'add',
        '--role',
        'admin',
        '--name',
        'first',
        '--data',
        this.#dataOf('a'),
        '--store.facts',
        this.#url,
      ],
    )
    this.#token = made.stdout.trim()
    for (const name of PROCESSES) await this.start(name)
  }

  async start(part: Part): Promise<void> {
    if (part === 'postgres') await this.#postgres.start()
    else if (part === 'victoria') await this.#victoria.start()
    else this.#servers.set(part, await startServer(this.#args(part), {}, START_WITHIN_MS))
  }

  /** SIGKILL. */
  async kill(part: Part): Promise<void> {
    if (part === 'postgres') await this.#postgres.kill()
    else if (part === 'victoria') await this.#victoria.kill()
    else {
      await this.#servers.get(part)?.kill()
      this.#servers.delete(part)
    }
  }

  /** As behind a load balancer: each request goes to any process, also to one that has just ended. */
  target(random: Random): Target {
    const urlOf = (): string => `http://127.0.0.1:${this.#ports.get(random.pick(PROCESSES))}`
    return {
      get url() {
        return urlOf()
      },
      ...{ dataPath: this.#dataOf('a'), token: this.#token, position: () => 0 },
      environment: { DAYTWO_STORE_FACTS: this.#url },
    }
  }

  /** Of one process. */
  targetOf(name: (typeof PROCESSES)[number]): Target {
    const url = `http://127.0.0.1:${this.#ports.get(name)}`
    return { ...{ url, dataPath: this.#dataOf(name), token: this.#token, environment: {} }, position: () => 0 }
  }

  /** The leases of processes that live, by the clock of PostgreSQL. */
  async leases(): Promise<readonly Leased[]> {
    const client = new Client(this.#url)
    client.on('error', () => undefined)
    await client.connect()
    try {
      const { rows } = await client.query<Leased>(
        `SELECT kind, lease.name, process.name AS process FROM lease JOIN process ON owner = instance
           WHERE lives_until > clock_timestamp() ORDER BY 1, 2`,
      )
      return rows
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  /** What a process printed last. */
  outputOf(name: string): string {
    return this.#servers.get(name)?.output().slice(-3000) ?? ''
  }

  async end(): Promise<void> {
    for (const server of this.#servers.values()) await server.kill()
    await this.webhook.close()
    await this.#victoria.stop()
    await this.#postgres.stop()
    this.#folder.remove()
  }

  #dataOf(name: string): string {
    return join(this.#folder.path, name)
  }

  #args(name: string): readonly string[] {
    return [
      ...['serve', '--listen', `127.0.0.1:${this.#ports.get(name)}`, '--data', this.#dataOf(name)],
      ...[
        '--process.name',
        name,
        '--store.facts',
        this.#url,
        '--store.metrics',
        this.#victoria.url,
        '--no-own-metrics',
      ],
      ...['--retention.raw', '100y', '--notify.config', join(this.#folder.path, 'notify.yaml')],
      ...withoutContent(join(this.#folder.path, 'rules')),
    ]
  }
}
