import type { Config } from '../../src/config/config.ts'
import { readConfig } from '../../src/config/config.ts'
import { findPeer } from './peers.ts'
import { findPostgres, startPostgres, type PostgresServer } from './postgres.ts'
import { startVictoriaMetrics } from './victoria-metrics.ts'

/**
 * The mode of the servers that tests start. With `TEST_MODE=scale-out` each data folder has a PostgreSQL database and a
 * VictoriaMetrics of its own; a server that is given stores of its own, or none by its test, keeps what it has.
 */
const IS_SCALE_OUT = process.env['TEST_MODE'] === 'scale-out'

type Stores = Readonly<Record<'store.facts' | 'store.metrics', string>>

let postgres: Promise<PostgresServer> | undefined
const storesByFolder = new Map<string, Promise<Stores>>()

const stops: (() => Promise<void>)[] = []

// At the end of the file of tests; what runs outside of tests has no mode.
if (IS_SCALE_OUT) {
  const { afterAll } = await import('vitest')
  afterAll(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })
}

async function startPostgresOnce(): Promise<PostgresServer> {
  const folder = findPostgres()
  if (folder === undefined) throw new Error('the scale-out mode needs PostgreSQL (Debian package postgresql)')
  const server = await startPostgres(folder)
  stops.push(() => server.stop())
  return server
}

async function startStores(): Promise<Stores> {
  const path = findPeer('victoria-metrics')
  if (path === undefined) throw new Error('the scale-out mode needs VictoriaMetrics (Debian package victoria-metrics)')
  postgres ??= startPostgresOnce()
  const [facts, metrics] = await Promise.all([(await postgres).createDatabase(), startVictoriaMetrics(path)])
  stops.push(() => metrics.stop())
  return { 'store.facts': facts, 'store.metrics': metrics.url }
}

/** Of a data folder, in the mode of scale-out. */
function storesOf(folder: string): Promise<Stores> {
  const stores = storesByFolder.get(folder) ?? startStores()
  storesByFolder.set(folder, stores)
  return stores
}

/** Commands that work on facts beside the server. */
const OF_FACTS: readonly (string | undefined)[] = ['token', 'session', 'audit']

/** Arguments of `daytwo`, with the stores of the mode. */
export async function argumentsInMode(args: readonly string[]): Promise<readonly string[]> {
  const [command] = args
  const folder = args.includes('--data') ? args[args.indexOf('--data') + 1] : undefined
  const isOwn = args.some((arg) => arg.startsWith('--store.facts') || arg.startsWith('--store.metrics'))
  if (!IS_SCALE_OUT || isOwn || folder === undefined) return args
  if (command !== 'serve' && !OF_FACTS.includes(command)) return args
  const { 'store.facts': facts, 'store.metrics': metrics } = await storesOf(folder)
  return [...args, '--store.facts', facts, ...(command === 'serve' ? ['--store.metrics', metrics] : [])]
}

/** Options of a server in this process, with the stores of the mode. */
export async function configInMode(config: Config): Promise<Config> {
  if (!IS_SCALE_OUT || config['store.facts'] !== '' || config['store.metrics'] !== '') return config
  const stores = readConfig(new Map(Object.entries(await storesOf(config.data))), undefined, {})
  return { ...config, 'store.facts': stores['store.facts'], 'store.metrics': stores['store.metrics'] }
}
