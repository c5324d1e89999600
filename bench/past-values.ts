/**
 * What the past conditions, settings and nodes of a cluster cost: periods, bytes stored, time to derive and to read, of simulated
 * clusters with a year of upgrades. `--clusters N`, `--quick`.
 */
import { performance } from 'node:perf_hooks'
import { clusterHistory } from '../src/fleet/derive/cluster-history.ts'
import { deriveCluster } from '../src/fleet/derive/derive-cluster.ts'
import { deriveValues } from '../src/fleet/past/derive-values.ts'
import { decodeValues, encodeValues } from '../src/store/facts/cluster-values.ts'
import { observationsOf } from '../sim/history/cluster-observations.ts'
import { planHistory } from '../sim/history/plan-history.ts'

const FROM_MS = Date.UTC(2025, 8, 1)
const UNTIL_MS = Date.UTC(2026, 8, 1)

export function run({ quick, clusters: wanted }: { readonly quick?: boolean; readonly clusters?: string }): void {
  const clusters = Number(wanted ?? (quick === true ? 20 : 100))
  const rows: { readonly periods: number; readonly json: number; readonly stored: number }[] = []
  const spent = { whole: 0, values: 0, encode: 0, decode: 0 }
  const timed = <T>(what: keyof typeof spent, work: () => T): T => {
    const startMs = performance.now()
    const result = work()
    spent[what] += performance.now() - startMs
    return result
  }
  for (let index = 0; index < clusters; index++) {
    const observations = observationsOf(
      planHistory({ seed: 'past', index, fromMs: FROM_MS, untilMs: UNTIL_MS, mode: 'all' }),
    )
    const { intervals } = timed('whole', () => deriveCluster(observations))
    const history = clusterHistory(observations)
    const { values } = timed('values', () => deriveValues(history, intervals))
    const stored = timed('encode', () => encodeValues(values))
    timed('decode', () => decodeValues(stored))
    rows.push({ periods: values.length, json: JSON.stringify(values).length, stored: stored.length })
  }
  const middle = (of: keyof (typeof rows)[number], share: number): number =>
    rows.map((row) => row[of]).sort((a, b) => a - b)[Math.min(rows.length - 1, Math.floor(rows.length * share))]!
  console.log(`${clusters} clusters, 12 months, objects and metrics\n`)
  console.log('| of a cluster | p50 | p95 | most |\n|---|---:|---:|---:|')
  for (const [name, of] of [
    ['periods', 'periods'],
    ['bytes as JSON', 'json'],
    ['bytes stored', 'stored'],
  ] as const) {
    console.log(`| ${name} | ${[0.5, 0.95, 1].map((share) => middle(of, share)).join(' | ')} |`)
  }
  console.log('\n| ms a cluster | mean |\n|---|---:|')
  for (const [name, of] of [
    ['derivation as a whole', 'whole'],
    ['past values, part of it', 'values'],
    ['encoding', 'encode'],
    ['reading and decoding', 'decode'],
  ] as const) {
    console.log(`| ${name} | ${(spent[of] / clusters).toFixed(2)} |`)
  }
}
