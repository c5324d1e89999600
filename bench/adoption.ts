/**
 * Questions about adoption over twelve months and ten thousand clusters, as the API answers them: from the daily cubes
 * of a real store, through the index that the query worker keeps, to JSON. The baseline is the same sums grouped by SQL.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { AdoptionIndex, type AdoptionQuery } from '../src/fleet/adoption/adoption-index.ts'
import { adoptionOfDay, type AdoptionCluster } from '../src/fleet/adoption/cube-of-day.ts'
import { DAY_MS, addDays, dayStartMs, daysBetween } from '../src/fleet/adoption/day.ts'
import { compareReleases } from '../src/fleet/version-order.ts'
import { sharesOf } from '../src/fleet/adoption/share.ts'
import { spreadsOf } from '../src/fleet/adoption/spread.ts'
import type { AdoptionRow } from '../src/model/adoption.ts'
import { openFacts } from '../src/store/facts/facts.ts'
import { emptyRecord } from '../test/support/cluster-record.ts'

const FIRST_DAY = '2025-11-21'
const DAYS = 365
const VERSIONS = '1.12.0 1.13.0 1.14.0 1.15.2 1.16.0 1.17.0 1.17.1 1.17.3 1.18.0 1.18.1'.split(' ')
const HCO = 'kubevirt-hyperconverged'
const RUNS = 51

export async function run({ quick }: { readonly quick?: boolean }): Promise<void> {
  const clusterCount = quick === true ? 1000 : 10_000
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-adoption-'))
  const facts = openFacts(dir)
  try {
    const fleet = fleetOf(clusterCount)
    const days = daysBetween(FIRST_DAY, addDays(FIRST_DAY, DAYS - 1))
    const all: AdoptionRow[] = []
    const startMs = cpuMs()
    for (const day of days) {
      const rows = adoptionOfDay(day, fleet, Infinity)
      await facts.adoption.putDay(day, rows, [], dayStartMs(day) + DAY_MS)
      all.push(...rows)
    }
    const countingMs = (cpuMs() - startMs) / DAYS
    console.log(
      `${clusterCount} clusters, ${DAYS} days, ${all.length} rows; counting and writing a day ${countingMs.toFixed(1)} ms of CPU`,
    )
    const asked: AdoptionQuery = { operator: HCO, by: 'version', fromDay: days[0]!, toDay: days.at(-1)!, filter: {} }
    const index = new AdoptionIndex(facts.adoption)
    const beforeMs = cpuMs()
    await index.query(asked)
    console.log(`first question, reading the year: ${(cpuMs() - beforeMs).toFixed(0)} ms of CPU`)
    const warm = new AdoptionIndex(facts.adoption)
    const warming = warm.warm([HCO])
    const waits = await waitsDuring(warming)
    const warmMs = cpuMs()
    await warm.query(asked)
    console.log(
      `first question when the year was read at the start: ${(cpuMs() - warmMs).toFixed(0)} ms of CPU; ` +
        `others waited ${waits.at(-1)!.toFixed(0)} ms of CPU at most meanwhile`,
    )
    await facts.adoption.putDay(days.at(-1)!, adoptionOfDay(days.at(-1)!, fleet, Infinity), [], Date.UTC(2027, 0, 1))
    const countedMs = cpuMs()
    await warm.query(asked)
    console.log(`after the newest day was counted again: ${(cpuMs() - countedMs).toFixed(0)} ms of CPU`)
    const answers: Readonly<Record<string, () => Promise<string>>> = {
      'share by version': async () => JSON.stringify(sharesOf((await index.query(asked)).sums, compareReleases).series),
      'share by region, one channel': async () => {
        const one: AdoptionQuery = { ...asked, by: 'region', filter: { channel: ['stable'] } }
        return JSON.stringify(sharesOf((await index.query(one)).sums, (a, b) => (a < b ? -1 : 1)).series)
      },
      'spread of each version': async () =>
        JSON.stringify(
          spreadsOf(
            sharesOf((await index.query(asked)).sums, (a, b) => compareReleases(b, a)),
            compareReleases,
          ),
        ),
    }
    const sql = sqlBaseline(all)
    const baselineMs = await p50(() => Promise.resolve(sql()), 11)
    console.log(`${baselineMs.toFixed(1).padStart(8)} ms p50  the same shares, grouped by SQL over rows (baseline)`)
    for (const [name, ask] of Object.entries(answers)) {
      const ms = await p50(ask, RUNS)
      console.log(`${ms.toFixed(1).padStart(8)} ms p50  ${name}: ${(ms / baselineMs).toFixed(2)} x`)
    }
  } finally {
    facts.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** CPU of this process, because machines are shared. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** How long the thread was busy between any two turns, rising. */
async function waitsDuring(work: Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = []
  const state = { isDone: false }
  const done = work.finally(() => (state.isDone = true))
  let fromMs = cpuMs()
  for (;;) {
    await setImmediate()
    waits.push(cpuMs() - fromMs)
    fromMs = cpuMs()
    if (state.isDone) break
  }
  await done
  return waits.sort((a, b) => a - b)
}

async function p50(ask: () => Promise<unknown>, runs: number): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < runs; i++) {
    const startMs = cpuMs()
    await ask()
    took.push(cpuMs() - startMs)
  }
  return took.sort((a, b) => a - b)[runs >> 1]!
}

function sqlBaseline(rows: readonly AdoptionRow[]): () => unknown {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE cube (day TEXT, version TEXT, clusters INTEGER); CREATE INDEX cube_day ON cube (day)')
  const insert = db.prepare('INSERT INTO cube VALUES (?, ?, ?)')
  db.transaction(() => {
    for (const { day, version, clusters, operator } of rows) if (operator === HCO) insert.run(day, version, clusters)
  })()
  const ask = db.prepare('SELECT day, version, sum(clusters) FROM cube GROUP BY day, version')
  return () => JSON.stringify(ask.raw().all())
}

/** Clusters that upgrade every month or two, some never; of every region, channel, platform and environment. */
function fleetOf(count: number): readonly AdoptionCluster[] {
  const pick = <T>(of: readonly T[], i: number): T => of[i % of.length]!
  return Array.from({ length: count }, (_, i): AdoptionCluster => {
    const cluster = `c${i}`
    const everyDays = 30 + ((i * 7919) % 90)
    const firstVersion = (i * 31) % 6
    const intervals = VERSIONS.slice(firstVersion).flatMap((version, n, versions) => {
      const fromMs = dayStartMs(FIRST_DAY) + (n * everyDays + (i % everyDays) - everyDays) * DAY_MS
      const untilMs = n === versions.length - 1 ? undefined : fromMs + everyDays * DAY_MS
      const one = { cluster, operator: HCO, version, fromMs, isStartKnown: n > 0, resolutionSeconds: 1 }
      return [untilMs === undefined ? one : { ...one, untilMs }]
    })
    return {
      record: emptyRecord(cluster, {
        flavour: pick(['community', 'openshift'] as const, i),
        platform: { kind: 'openshift', version: `4.${16 + ((i * 13) % 6)}.3` },
        subscription: {
          package: 'p',
          channel: pick(['stable', 'candidate', 'stable-v1.17'], i * 3 + (i % 5)),
          approval: 'Automatic',
          source: 's',
          state: '',
        },
        region: pick(
          'eu-central eu-west us-east us-west us-central ap-north ap-south sa-east'.split(' '),
          (i * 17) % 97,
        ),
        environment: pick(['prod', 'stage', 'edge', 'lab'], (i * 11) % 13),
        workloads: { running: 20, outdated: i % 5, atMs: 0 },
        lastSeenMs: Infinity,
      }),
      intervals,
    }
  })
}
