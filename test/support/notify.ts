import Database from 'better-sqlite3'
import type { Clock } from '../../src/base/clock.ts'
import type { ApiNotify } from '../../src/api/fleet/deliveries.ts'
import type { DeliveryRecord } from '../../src/model/delivery.ts'
import type { NotificationLogEntry, NotificationLogStore } from '../../src/model/notification-log.ts'
import { emptyConfig, loadConfig, type NotifyConfig } from '../../src/notify/config/config-file.ts'
import { createHttpClient } from '../../src/notify/http-client.ts'
import { Pipeline, type DeliveryClaims } from '../../src/notify/pipeline.ts'
import type { SilenceReader, UpgradeReader } from '../../src/notify/ports.ts'
import { createFacts, type Facts } from '../../src/store/facts/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import { ConnectionLock } from '../../src/store/connection-lock.ts'

/** The pipeline as it ships, on a database in memory and in one thread. */
export interface MemoryNotify {
  readonly pipeline: Pipeline
  readonly facts: Facts
  /** Every attempt, oldest first. */
  readonly deliveries: readonly DeliveryRecord[]
  readonly api: ApiNotify
  /** The same after a restart: what was sent is known, nothing else. */
  restart(): Promise<MemoryNotify>
}

export interface MemoryNotifyOptions {
  readonly clock: Pick<Clock, 'nowMs'>
  /** Text of a configuration; none without it. */
  readonly config?: string
  readonly silences?: SilenceReader
  readonly upgrades?: UpgradeReader
  readonly externalUrl?: string
  readonly timeoutMs?: number
  readonly facts?: Facts
  /** By default that of `facts`. */
  readonly notificationLog?: NotificationLogStore
  readonly claims?: DeliveryClaims
}

export async function memoryNotify(options: MemoryNotifyOptions): Promise<MemoryNotify> {
  const { clock, silences = { silencedBy: () => [] }, upgrades = { expectedFor: () => undefined } } = options
  const facts = options.facts ?? memoryFacts()
  const notificationLog = options.notificationLog ?? facts.notificationLog
  const deliveries: DeliveryRecord[] = []
  const pipeline = new Pipeline({
    config: configOf(options.config),
    silences,
    upgrades,
    externalUrl: options.externalUrl ?? 'http://daytwo.test',
    notified: await notificationLog.load(),
    http: createHttpClient({ nowMs: () => performance.now() }),
    stopwatchMs: () => performance.now(),
    timeoutMs: options.timeoutMs ?? 5000,
    claims: options.claims,
    onAttempt: (delivery) => {
      deliveries.push(delivery)
    },
    remember: (entries: readonly NotificationLogEntry[]) => notificationLog.put(entries),
    clock,
  })
  return {
    pipeline,
    facts,
    deliveries,
    api: { pipeline, deliveries: facts.deliveries, configFile: options.config === undefined ? undefined : 'am.yml' },
    restart: () => memoryNotify({ ...options, facts }),
  }
}

/** Throws with what is wrong with it. */
export function configOf(text: string | undefined): NotifyConfig {
  if (text === undefined) return emptyConfig()
  const { config, diagnostics } = loadConfig('am.yml', text, () => [])
  if (config === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return config
}

function memoryFacts(): Facts {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  return createFacts(database, new ConnectionLock())
}
