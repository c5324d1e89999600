import type { FallingEdgeItem, Now } from '../../contract/now.ts'
import { countOf, formatCount, formatShare } from './format-number.ts'
import { formatAge, msOf } from './format-time.ts'

/** The sentences of the landing page. Pure, because wording decides whether somebody goes back to bed. */

/** How much of the fleet was seen: every number on the page is said over this. */
export function coverageSentence(now: Now, nowMs: number): string {
  const { total, reporting, unknown, withObjects } = now.clusters
  if (now.past !== undefined) {
    const silent = total - reporting
    return `${countOf(total, 'cluster')} known then${silent > 0 ? `, ${formatCount(silent)} of them not heard since` : ''}.`
  }
  const parts = [`${formatCount(reporting)} of ${countOf(total, 'cluster')} reporting`]
  if (withObjects < total) parts.push(`${formatCount(withObjects)} with objects`)
  if (unknown > 0) parts.push(`${formatCount(unknown)} ${unknown === 1 ? 'does' : 'do'} not say how upgrades go`)
  return `Last checked ${formatAge(nowMs - checkedMs(now))} ago, ${parts.join(', ')}.`
}

/** All that clusters sent until then is in the answer. */
function checkedMs({ asOf, derivation: { caughtUpAt } }: Now): number {
  return caughtUpAt === null ? msOf(asOf) : Math.min(msOf(asOf), msOf(caughtUpAt))
}

/** A large fleet is always some seconds behind: the coverage says how many, in its place. */
const BEHIND_AFTER_MS = 60_000

/** What clusters sent is not all in the answer; `undefined`: it is, or as good as. */
export function behindSentence({ asOf, past, derivation: { caughtUpAt, waiting } }: Now): string | undefined {
  // How far the present is worked in says nothing of a moment that is over.
  if (past !== undefined) return undefined
  if (caughtUpAt === null) {
    // In the first moments after a start nobody has counted yet.
    return `What clusters sent is being read${waiting === 0 ? '' : `: ${countOf(waiting, 'cluster')} to go`}.`
  }
  const behindMs = msOf(asOf) - msOf(caughtUpAt)
  if (behindMs < BEHIND_AFTER_MS) return undefined
  return `What ${countOf(waiting, 'cluster')} sent in the last ${formatAge(behindMs)} is not yet in these answers.`
}

export type Headline =
  | { readonly kind: 'no_clusters' }
  /** After a start, before anything is known. */
  | { readonly kind: 'reading'; readonly sentence: string }
  | { readonly kind: 'good'; readonly sentence: string }
  /** Nothing is known to be stuck, but not all of the fleet could be seen. */
  | { readonly kind: 'unsure'; readonly sentence: string }
  | { readonly kind: 'stuck'; readonly sentence: string }

export function headlineOf(now: Now): Headline {
  const { total, reporting, unknown, gone } = now.clusters
  if (total === 0 && gone > 0) {
    return { kind: 'unsure', sentence: `No cluster is left: ${countOf(gone, 'known one is', 'known ones are')} gone.` }
  }
  if (total === 0) {
    return now.derivation.caughtUpAt === null
      ? { kind: 'reading', sentence: 'What is stored is being read.' }
      : { kind: 'no_clusters' }
  }
  if (now.stuck.count > 0) {
    return { kind: 'stuck', sentence: `${countOf(now.stuck.count, 'upgrade is', 'upgrades are')} stuck.` }
  }
  if (reporting === 0) return { kind: 'unsure', sentence: 'Nothing is known: no cluster is reporting.' }
  if (unknown >= reporting) {
    return { kind: 'unsure', sentence: 'Nothing is known to be stuck, but no cluster says how upgrades go.' }
  }
  if (now.faults !== null && now.faults.storage !== null) {
    return { kind: 'unsure', sentence: 'Nothing was stuck when something could be kept last.' }
  }
  return { kind: 'good', sentence: 'Nothing is stuck.' }
}

/** What stands for a list that is empty: of a fleet nobody hears of nothing can be said. */
export function emptySentence({ clusters }: Pick<Now, 'clusters'>, sentence: string): string {
  return clusters.reporting === 0 ? 'Not known: no cluster is reporting.' : sentence
}

/** What stands for alerts while there are none. */
export function firingSentence({ faults }: Pick<Now, 'faults'>): string {
  const failing = faults?.failingRules ?? 0
  if (failing === 0) return 'Nothing fires.'
  return `Nothing is known to fire: ${countOf(failing, 'rule', 'rules')} could not be evaluated.`
}

/** What stands below the number of silent clusters; their rows are the first of them, those in an upgrade before others. */
export function silentNote({ silent, clusters }: Pick<Now, 'silent' | 'clusters'>): string {
  const inUpgrade = silent.items.filter(({ upgrade }) => upgrade !== null).length
  if (inUpgrade === 0) return `no sample for ${formatAge(clusters.silentAfterSeconds.metrics * 1000)}`
  const isMore = inUpgrade === silent.items.length && silent.count > inUpgrade
  return `${formatCount(inUpgrade)}${isMore ? ' or more' : ''} in an upgrade`
}

/** Of the upgrades that ended lately, and of those they are held against: `6 of 12 (50 %)`. */
export function outcomesWords({ succeeded, of }: FallingEdgeItem['lately']): string {
  return `${formatCount(succeeded)} of ${formatCount(of)} (${formatShare(succeeded, of)})`
}
