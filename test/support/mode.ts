import type { App } from '../../src/app.ts'
import type { DebugForward } from '../../src/contract/debug-forward.ts'
import type { Config } from '../../src/config/config.ts'
import { readConfig } from '../../src/config/config.ts'
import { factsStoreOf } from '../../src/config/facts-store.ts'
import { openFacts, openFactsIn, type Facts } from '../../src/store/facts/facts.ts'
import type { Skippable } from './peers.ts'
import type { PostgresServer } from './postgres.ts'
import { startPostgresForStores, startStores, withStores, type StoreOptions } from './scale-out-stores.ts'
import { until } from './until.ts'

/**
 * The mode of the servers that tests start. With `TEST_MODE=scale-out` each data folder has a PostgreSQL database and a
 * VictoriaMetrics of its own; a server that is given stores of its own, or none by its test, keeps what it has.
 *
 * What such a server has acknowledged is in its buffer, and in the stores within seconds. Before a cycle that a test runs by hand,
 * everything is there (`appInMode`); a test that reads at once what it sent waits with `eventually` or `settled`.
 */
const IS_SCALE_OUT = process.env['TEST_MODE'] === 'scale-out'

/** Skips a test of something that servers with shared stores do not have, in that mode alone. The reason is a sentence. */
export function skipInScaleOut(context: Skippable, reason: string): void {
  if (IS_SCALE_OUT) context.skip(`not in the mode of scale-out: ${reason}`)
}

let postgres: Promise<PostgresServer> | undefined
const storesByFolder = new Map<string, Promise<StoreOptions>>()

const stops: (() => Promise<void>)[] = []

// At the end of the file of tests; what runs outside of tests has no mode.
if (IS_SCALE_OUT) {
  const { afterAll } = await import('vitest')
  afterAll(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })
}

async function startPostgresOnce(): Promise<PostgresServer> {
  const server = await startPostgresForStores()
  stops.push(() => server.stop())
  return server
}

async function startStoresOfFolder(): Promise<StoreOptions> {
  postgres ??= startPostgresOnce()
  const stores = await startStores(await postgres)
  stops.push(() => stores.stop())
  return stores.options
}

/** Of a data folder, in the mode of scale-out. */
function storesOf(folder: string): Promise<StoreOptions> {
  const stores = storesByFolder.get(folder) ?? startStoresOfFolder()
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
  const stores = Object.entries(await storesOf(folder)).filter(
    ([name]) => command === 'serve' || name === 'store.facts',
  )
  return [...args, ...stores.flatMap(([name, value]) => [`--${name}`, value])]
}

/** Options of a server in this process, with the stores of the mode. */
export async function configInMode(config: Config): Promise<Config> {
  if (!IS_SCALE_OUT || config['store.facts'] !== '' || config['store.metrics'] !== '') return config
  return withStores(config, await storesOf(config.data))
}

/** Part of a query that also a server with a metrics store evaluates itself: series of facts are in no other store. */
export const EVALUATED_HERE = 'absent(daytwo_cluster_info)'

/** Opens the facts of a server that is not running, where the mode has them. */
export async function openFactsInMode(folder: string): Promise<Facts & { close(): void | Promise<void> }> {
  if (!IS_SCALE_OUT) return openFacts(folder)
  const { 'store.facts': url } = await storesOf(folder)
  return openFactsIn(factsStoreOf(readConfig(new Map([['store.facts', url]]), undefined, {}))!)
}

/** A server in this process: each cycle has everything that was received before it, and derives clusters that it first saw then. */
export function appInMode(app: App, metrics: string): App {
  const share = async (): Promise<void> => {
    await app.share()
    await makeVisible(metrics)
    await app.deriveFacts()
    // The clock of the test does not move, so no heartbeat takes leases. One registers new clusters, the next one takes them.
    for (let heartbeat = 0; heartbeat < 2; heartbeat++) await app.share()
  }
  const afterShare =
    <T>(work: () => Promise<T>) =>
    async (): Promise<T> => {
      await share()
      return work()
    }
  return {
    ...app,
    share,
    runCycle: afterShare(() => app.runCycle()),
    deriveFacts: afterShare(() => app.deriveFacts()),
  }
}

/** New samples are found after a moment, or after this. */
async function makeVisible(metrics: string): Promise<void> {
  await fetch(`${metrics}/internal/force_flush`)
}

/**
 * Resolves when the metrics store finds the samples that a server of `startServer` has acknowledged. In the default mode at once.
 * @param token of role viewer, where the server has tokens
 */
export async function settled(url: string, token?: string): Promise<void> {
  if (!IS_SCALE_OUT) return
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const writeUrl = await until('all samples to be forwarded', async () => {
    const answer = await fetch(`${url}/debug/forward`, { headers })
    if (!answer.ok) throw new Error(`/debug/forward answered ${answer.status}: ${await answer.text()}`)
    const { forward } = (await answer.json()) as DebugForward
    return forward?.lagSamples === 0 ? forward.writeUrl : undefined
  })
  await makeVisible(new URL(writeUrl).origin)
}
