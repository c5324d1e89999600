/** Answers about a fleet beside its upgrades, held against the truth: who runs what, edges, traces. */
import { createHash } from 'node:crypto'
import { recordOf, type ToldUpgrade } from '../../sim/history/compare.ts'
import type { HistoryTruth } from '../../sim/history/history-truth.ts'
import type { FleetApi } from './read-back.ts'

/** A sentence for each thing that is not as it really was. */
export async function differencesOf(
  truths: readonly HistoryTruth[],
  told: readonly ToldUpgrade[],
  api: FleetApi,
): Promise<readonly string[]> {
  return [
    ...(await clusterDifferences(truths, api)),
    ...(await edgeDifferences(truths, api)),
    ...(await traceDifferences(truths, told, api)),
  ]
}

async function clusterDifferences(truths: readonly HistoryTruth[], api: FleetApi): Promise<readonly string[]> {
  const items = new Map((await api.clusters()).map((item) => [item.cluster, item]))
  const more = [...items.keys()].filter((name) => !truths.some(({ cluster }) => cluster === name))
  return [
    ...more.map((name) => `cluster ${name} is not in the fleet`),
    ...truths.flatMap(({ cluster, versions }) => {
      const want = versions.findLast(({ operator }) => operator === 'kubevirt-hyperconverged')?.version
      const got = items.get(cluster)?.version
      return got === want ? [] : [`cluster ${cluster} runs: got ${got ?? 'nothing'}, want ${want ?? 'nothing'}`]
    }),
  ]
}

/** Attempts and successes of each edge that was really taken, and no other edge. */
async function edgeDifferences(truths: readonly HistoryTruth[], api: FleetApi): Promise<readonly string[]> {
  const want = new Map<string, number>()
  for (const { operator, from, to, state } of truths.flatMap(onEdges)) {
    const edge = `${operator} ${from} -> ${to}`
    for (const count of [`${edge} attempts`, ...(state === 'succeeded' ? [`${edge} succeeded`] : [])])
      want.set(count, (want.get(count) ?? 0) + 1)
  }
  const got = new Map<string, number>()
  for (const { operator, from, to, attempts, outcomes } of await api.edges()) {
    got.set(`${operator} ${from} -> ${to} attempts`, attempts)
    if (outcomes.succeeded > 0) got.set(`${operator} ${from} -> ${to} succeeded`, outcomes.succeeded)
  }
  return [...new Set([...want.keys(), ...got.keys()])]
    .filter((count) => want.get(count) !== got.get(count))
    .map((count) => `edge ${count}: got ${got.get(count) ?? 0}, want ${want.get(count) ?? 0}`)
}

/** An upgrade that waits for its approval is in progress on its edge too; metrics do not report it. */
function onEdges({ tells, upgrades }: HistoryTruth): HistoryTruth['upgrades'] {
  return upgrades.filter(
    ({ startedMs, phases }) =>
      startedMs !== undefined || (tells.objects && phases.some((phase) => phase.startedMs !== undefined)),
  )
}

/** Of each upgrade whose CSV is known: its trace under the id that anybody can compute, with the steps of OLM in it. */
async function traceDifferences(
  truths: readonly HistoryTruth[],
  told: readonly ToldUpgrade[],
  api: FleetApi,
): Promise<readonly string[]> {
  const texts: string[] = []
  for (const { cluster, upgrades } of truths) {
    const own = told.filter(({ upgrade }) => upgrade.cluster === cluster)
    for (const real of upgrades) {
      const record = recordOf(real, own)
      if (record?.detail.csvUid === undefined || real.csvUid === undefined) continue
      const spans = await api.trace(traceIdOf(cluster, real.csvUid))
      const name = `trace of ${cluster} ${real.from} -> ${real.to}`
      if (!spans.some(({ operationName }) => operationName === `upgrade ${real.operator}`)) {
        texts.push(`${name}: no root among ${spans.length} spans`)
        continue
      }
      const installing = record.upgrade.phases.find((phase) => phase.name === 'olm.installing')
      const span = spans.find(({ operationName }) => operationName === 'olm.csv.installing')
      if (installing?.startedMs === undefined || installing.resolutionSeconds > 1) continue
      if (span?.startTime !== installing.startedMs * 1000) {
        texts.push(
          `${name}: olm.csv.installing starts at ${span?.startTime ?? 'no time'}, want ${installing.startedMs}000`,
        )
      }
    }
  }
  return texts
}

/** As src/fleet/CONVENTIONS.md says it. */
function traceIdOf(cluster: string, csvUid: string): string {
  return createHash('sha256').update(`upgrade|${cluster}|${csvUid}`).digest('hex').slice(0, 32)
}
