/**
 * What leases of many clusters cost: processes that share them, one of which ends. Needs PostgreSQL.
 * `npm run bench leases -- --clusters 100000 --processes 50`; three processes by default.
 */
import { Client } from 'pg'
import { LeaseHolder } from '../src/deployment/lease-holder.ts'
import { NOTHING_REPORTED } from '../src/model/process-report.ts'
import { openFactsIn } from '../src/store/facts/facts.ts'
import { POSTGRES_DEFAULTS } from '../src/store/postgres/options.ts'
import { findPostgres, startPostgres } from '../test/support/postgres.ts'

const REGISTERED_AT_ONCE = 5000
const STEADY_ROUNDS = 10

interface LeasesOptions {
  readonly clusters?: string
  readonly processes?: string
}

export async function run({ clusters = '10000', processes = '3' }: LeasesOptions): Promise<void> {
  const folder = findPostgres()
  if (folder === undefined) throw new Error('PostgreSQL is not installed')
  const server = await startPostgres(folder)
  const url = await server.createDatabase()
  const facts = await openFactsIn({ ...POSTGRES_DEFAULTS, url })
  const count = Number(clusters)
  const names = Array.from({ length: Number(processes) }, (_, i) => `process-${i}`)
  const holders = names.map((name) => {
    const self = { name, instance: `${name}-1`, version: '1', roles: ['evaluate'], startedMs: 1 }
    return new LeaseHolder({
      store: facts.leasesOf(self),
      roles: self.roles,
      report: () => NOTHING_REPORTED,
      stopwatchMs: () => 0,
      onChange: () => undefined,
    })
  })
  const held = (): number => holders.reduce((sum, holder) => sum + holder.leases().length, 0)
  const steps = async (
    what: string,
    those: readonly LeaseHolder[],
    isDone: (round: number) => boolean,
  ): Promise<void> => {
    const times: number[] = []
    let round = 0
    do {
      for (const holder of those) {
        const fromMs = performance.now()
        await holder.step([])
        times.push(performance.now() - fromMs)
      }
    } while (!isDone(++round))
    times.sort((a, b) => a - b)
    const [p50, max] = [times[times.length >> 1] ?? 0, times.at(-1) ?? 0]
    console.log(
      `${what}: ${round} rounds of two seconds; a step takes p50 ${p50.toFixed(0)} ms, at most ${max.toFixed(0)} ms`,
    )
  }
  try {
    const [first, ...others] = holders
    if (first === undefined) return
    for (let from = 0; from < count; from += REGISTERED_AT_ONCE) {
      const length = Math.min(REGISTERED_AT_ONCE, count - from)
      await first.register(
        'cluster',
        Array.from({ length }, (_, i) => `cluster-${from + i}`),
      )
    }
    await steps(`${count} clusters, one process takes all`, [first], () => held() === count)
    const share = (count / holders.length) * 1.06
    const isEven = (): boolean => held() === count && holders.every((holder) => holder.leases().length <= share)
    await steps(`${holders.length} processes share`, holders, isEven)
    await steps('nothing changes', holders, (round) => round === STEADY_ROUNDS)
    const client = new Client(url)
    await client.connect()
    await client.query(`UPDATE process SET lives_until = now() - interval '1 s' WHERE name = 'process-0'`)
    await client.end()
    const heldByOthers = (): number => others.reduce((sum, holder) => sum + holder.leases().length, 0)
    await steps('one ends, the others take over', others, () => heldByOthers() === count)
  } finally {
    await facts.close()
    await server.stop()
  }
}
