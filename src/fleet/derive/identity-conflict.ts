/**
 * Two clusters that send under one name, or one name that two clusters claim: a problem of the cluster. Ingest refuses what
 * it recognises by a uid (`ingest/cluster-registry.ts`); of metrics that carry none, contradicting versions show it.
 */
import type { ClusterClaim } from '../../model/cluster-claim.ts'
import type { ClusterProblem } from '../../model/cluster-record.ts'
import { groupBy } from '../../base/group-by.ts'
import type { ClusterHistory } from './cluster-history.ts'
import type { UpgradeDraft } from './upgrade-draft.ts'

/** A refused claim is made again with each request, and stored to ten minutes; reports to the hour. */
const CURRENT_MS = 2 * 60 * 60_000

export function claimProblems(history: ClusterHistory): readonly ClusterProblem[] {
  const { conflicts = [], members = [] } = history.observations
  const own = new Set([history.cluster, ...members])
  const current = conflicts.filter(({ lastMs }) => lastMs >= (history.newestMs ?? -Infinity) - CURRENT_MS)
  return current.flatMap((claim) => problemOf(claim, own))
}

function problemOf(
  { cluster, name, kind, refusal, firstMs }: ClusterClaim,
  own: ReadonlySet<string>,
): ClusterProblem[] {
  const [other, mine] = [JSON.stringify(name), JSON.stringify(cluster)]
  const what = kind === 'uid' ? `uid of kube-system ${other}` : kind === 'id' ? `cluster ID ${other}` : `name ${other}`
  const textOf = (): string | undefined => {
    if (!own.has(cluster)) return refusal === 'taken' ? `${mine} also claims the ${what}. ${NAMES_ACTION}` : undefined
    if (refusal === 'other_identity')
      return `Data with the ${what} is refused: the cluster has another one. ${DATA_ACTION}`
    if (refusal === 'taken') return `The ${what} is refused: another cluster has or claims it. ${NAMES_ACTION}`
    return `The ${what} is refused: the cluster has too many names. ${NAMES_ACTION}`
  }
  const text = textOf()
  if (text === undefined || refusal === undefined) return []
  const evidence = [{ source: 'objects' as const, atMs: firstMs, text: `${mine} claims the ${what}`, ref: 'metadata' }]
  return [{ cause: 'identity_conflict', reason: refusal, text, sinceMs: firstMs, evidence }]
}

const DATA_ACTION = 'Give each cluster a name and a token of its own.'
const NAMES_ACTION = 'Check the names that the senders of both clusters set.'

/**
 * Metrics of two clusters under one name, without a uid. OLM's gauge of a CSV is 0 from the moment at which another CSV
 * replaces it, so two versions that are both Succeeded for longer than series go stale are of two clusters.
 */
const AT_ONCE_MS = 15 * 60_000

interface Period {
  readonly fromMs: number
  readonly untilMs: number
  readonly versions: readonly [string, string]
}

/** When CSVs of two versions were Succeeded at once. */
function twoAtOnce(history: ClusterHistory): readonly Period[] {
  const newestMs = history.newestMs ?? -Infinity
  const runs = history.runs('csv_succeeded').filter(({ value }) => value === 1)
  return runs.flatMap((run, i) => {
    return runs.slice(i + 1).flatMap((other): Period[] => {
      const [one, two] = [run.labels['version'] ?? '', other.labels['version'] ?? '']
      const fromMs = Math.max(run.firstMs, other.firstMs)
      const untilMs = Math.min(run.afterMs ?? newestMs, other.afterMs ?? newestMs)
      return one === two || untilMs - fromMs <= AT_ONCE_MS ? [] : [{ fromMs, untilMs, versions: [one, two] }]
    })
  })
}

/**
 * Or both send in turn. No cluster goes back and forth that often: a version that was left comes back after a restore, or a
 * new installation, and not three times in six hours.
 */
const RETURNS_MIN = 3
const RETURNS_WITHIN_MS = 6 * 60 * 60_000

type Draft = Pick<UpgradeDraft, 'operator' | 'from' | 'to' | 'anchorMs'>

/** The upgrades that are changes from one cluster to the other. */
function backAndForth<D extends Draft>(drafts: readonly D[]): readonly D[] {
  const inOrder = drafts.toSorted((a, b) => a.anchorMs - b.anchorMs)
  return [...groupBy(inOrder, ({ operator }) => operator).values()].flatMap((own) => {
    const found = new Set<D>()
    for (let i = 0; i + RETURNS_MIN < own.length; i++) {
      const some = own.slice(i, i + RETURNS_MIN + 1)
      const isReturning = some.every(
        ({ from, to }, k) => k === 0 || (to === some[k - 1]!.from && from === some[k - 1]!.to),
      )
      if (isReturning && some.at(-1)!.anchorMs - some[0]!.anchorMs <= RETURNS_WITHIN_MS)
        for (const draft of some) found.add(draft)
    }
    return [...found]
  })
}

/** Upgrades by metrics, without those that two clusters under one name look like. */
export function withoutMixed<D extends Draft>(history: ClusterHistory, drafts: readonly D[]): readonly D[] {
  const periods = twoAtOnce(history)
  const mixed = new Set(backAndForth(drafts))
  return drafts.filter((draft) => {
    const { operator, anchorMs } = draft
    const isAtOnce =
      operator !== 'openshift' &&
      periods.some(({ fromMs, untilMs }) => anchorMs > fromMs - AT_ONCE_MS && anchorMs < untilMs)
    return !isAtOnce && !mixed.has(draft)
  })
}

/** @param drafts all upgrades by metrics, as they look */
export function mixedProblems(history: ClusterHistory, drafts: readonly Draft[]): readonly ClusterProblem[] {
  const newestMs = history.newestMs ?? -Infinity
  const periods = twoAtOnce(history).filter(({ untilMs }) => untilMs >= newestMs - CURRENT_MS)
  const returns = backAndForth(drafts).filter(({ anchorMs }) => anchorMs >= newestMs - RETURNS_WITHIN_MS)
  const versions = periods[0]?.versions ?? [returns[0]?.from ?? '', returns[0]?.to ?? '']
  if (periods.length + returns.length === 0) return []
  const sinceMs = Math.min(...periods.map(({ fromMs }) => fromMs), ...returns.map(({ anchorMs }) => anchorMs))
  const how = periods.length > 0 ? 'at once' : 'in turn'
  const text = `Metrics report the versions ${versions.join(' and ')} ${how}`
  return [
    {
      cause: 'identity_conflict',
      reason: 'mixed_metrics',
      text: `${text}: two clusters send under one name. No upgrade is derived from these metrics. ${DATA_ACTION}`,
      sinceMs,
      evidence: [{ source: 'metrics', atMs: sinceMs, text, ref: 'csv_succeeded' }],
    },
  ]
}
