import type { App, AppParts, startApp } from '../../src/app.ts'
import type { Config } from '../../src/config/config.ts'
import { readConfig } from '../../src/config/config.ts'
import { findPeer } from './peers.ts'
import { findPostgres, startPostgres, type PostgresServer } from './postgres.ts'
import { startVictoriaMetrics } from './victoria-metrics.ts'

/** With a name of the process that a restart retains: the default has the port, which is another one after each start of a test. */
export type StoreOptions = Readonly<Record<'store.facts' | 'store.metrics' | 'process.name', string>>

/** A PostgreSQL database and a VictoriaMetrics, as options of a server. */
export interface ScaleOutStores {
  readonly options: StoreOptions
  /** Ends the VictoriaMetrics and removes its data; the database ends with its server. */
  stop(): Promise<void>
}

/** A PostgreSQL for the stores of several servers. Throws where it is not installed. */
export async function startPostgresForStores(): Promise<PostgresServer> {
  const folder = findPostgres()
  if (folder === undefined) throw new Error('the scale-out mode needs PostgreSQL (Debian package postgresql)')
  return startPostgres(folder)
}

export async function startStores(postgres: PostgresServer): Promise<ScaleOutStores> {
  const path = findPeer('victoria-metrics')
  if (path === undefined) throw new Error('the scale-out mode needs VictoriaMetrics (Debian package victoria-metrics)')
  const [facts, metrics] = await Promise.all([postgres.createDatabase(), startVictoriaMetrics(path)])
  return {
    options: { 'store.facts': facts, 'store.metrics': metrics.url, 'process.name': 'of-the-mode' },
    stop: () => metrics.stop(),
  }
}

export function withStores(config: Config, options: StoreOptions): Config {
  const stores = readConfig(new Map(Object.entries(options)), undefined, {})
  const { 'store.facts': facts, 'store.metrics': metrics, 'process.name': name } = stores
  return { ...config, 'store.facts': facts, 'store.metrics': metrics, 'process.name': name }
}

/** Starts each app with stores of its own, which end with it. */
export function inScaleOut(start: typeof startApp): typeof startApp {
  return async (parts: AppParts): Promise<App> => {
    const postgres = await startPostgresForStores()
    const stores = await startStores(postgres)
    const stop = async (): Promise<void> => {
      await stores.stop()
      await postgres.stop()
    }
    try {
      const app = await start({ ...parts, config: withStores(parts.config, stores.options) })
      return { ...app, stop: () => app.stop().finally(stop) }
    } catch (thrown) {
      await stop()
      throw thrown
    }
  }
}
