/** Looks at a server as its users do while it works: how far its facts are, what answers take, how rules keep up. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Now } from '../../src/contract/now.ts'
import { openConnection, type OneConnection } from './one-connection.ts'

/** As often as an open page asks. */
const EVERY_MS = 2000

interface RuleReport {
  readonly missed: number
  readonly iterations: number
  /** Of all groups: how long their next evaluation is due at most. */
  readonly lateMs: number
}

/** @param until what the server works on; its failure ends the watch */
export async function watchServer(
  port: number,
  until: Promise<unknown>,
): Promise<{ readonly figures: Record<string, number>; readonly notes: readonly string[] }> {
  const work = { isOver: false }
  const ended = until.finally(() => (work.isOver = true))
  const connection = await openConnection(port)
  const [lagMs, nowMs, clustersMs, lateMs]: number[][] = [[], [], [], []]
  const before = await ruleReport(connection)
  let waitingMost = 0
  while (!work.isOver) {
    const [now, tookMs] = await timed(() => connection.get('/api/fleet/v1/now'))
    const { derivation } = JSON.parse(now.toString()) as Now
    nowMs!.push(tookMs)
    lagMs!.push(Date.now() - (derivation.caughtUpAt === null ? 0 : Date.parse(derivation.caughtUpAt)))
    waitingMost = Math.max(waitingMost, derivation.waiting)
    clustersMs!.push((await timed(() => connection.get('/api/fleet/v1/clusters?limit=100')))[1])
    lateMs!.push((await ruleReport(connection)).lateMs)
    await wait(EVERY_MS)
  }
  await ended
  const after = await ruleReport(connection)
  connection.close()
  return {
    figures: {
      ...spread('lagMs', lagMs!),
      ...spread('nowMs', nowMs!),
      ...spread('clustersMs', clustersMs!),
      rulesMissed: after.missed - before.missed,
      rulesLateMsMax: Math.max(...lateMs!),
    },
    notes: [
      `${nowMs!.length} looks; ${after.iterations - before.iterations} evaluations of rule groups, missed ones included`,
      `at most ${waitingMost} clusters waited to be derived`,
    ],
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startMs = performance.now()
  return [await work(), performance.now() - startMs]
}

function spread(name: string, values: readonly number[]): Record<string, number> {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil((sorted.length - 1) * share)] ?? 0
  return { [`${name}P50`]: at(0.5), [`${name}P99`]: at(0.99), [`${name}Max`]: at(1) }
}

async function ruleReport(connection: OneConnection): Promise<RuleReport> {
  const text = (await connection.get('/metrics')).toString()
  const valuesOf = (name: string): ReadonlyMap<string, number> =>
    new Map(
      [...text.matchAll(new RegExp(`^${name}\\{group="([^"]*)".*\\} (.*)$`, 'gm'))].map((m) => [m[1]!, Number(m[2])]),
    )
  const sumOf = (name: string): number => [...valuesOf(name).values()].reduce((sum, value) => sum + value, 0)
  const lastSeconds = valuesOf('daytwo_rule_group_last_evaluation_timestamp_seconds')
  const late = [...valuesOf('daytwo_rule_group_interval_seconds')].map(
    ([group, seconds]) => Date.now() - ((lastSeconds.get(group) ?? 0) + seconds) * 1000,
  )
  return {
    missed: sumOf('daytwo_rule_group_missed_total'),
    iterations: sumOf('daytwo_rule_group_iterations_total'),
    lateMs: Math.max(0, ...late),
  }
}
