import type { FallingEdgeItem, Now } from '../../contract/now.ts'
import { countOf, formatCount, formatShare } from './format-number.ts'
import { formatAge, msOf } from './format-time.ts'

/** The sentences of the landing page. Pure. */

/** The coverage of all numbers on the page. */
export function coverageSentence(now: Now, nowMs: number): string {
  const { total, reporting, unknown, withObjects } = now.clusters
  if (now.past !== undefined) {
    const silent = total - reporting
    return `${countOf(total, 'cluster')} known at that time${silent > 0 ? `, ${formatCount(silent)} with no data since` : ''}.`
  }
  const parts = [`${formatCount(reporting)} of ${countOf(total, 'cluster')} reporting`]
  if (withObjects < total) parts.push(`${formatCount(withObjects)} with objects`)
  if (unknown > 0) parts.push(`${formatCount(unknown)} without upgrade data`)
  return `Last checked ${formatAge(nowMs - checkedMs(now))} ago, ${parts.join(', ')}.`
}

/** The answer contains all reports until this time. */
function checkedMs({ asOf, derivation: { caughtUpAt } }: Now): number {
  return caughtUpAt === null ? msOf(asOf) : Math.min(msOf(asOf), msOf(caughtUpAt))
}

/** A large fleet is always some seconds behind; the coverage reports these. */
const BEHIND_AFTER_MS = 60_000

/** The delay of the answer behind the reports of clusters; `undefined` without a relevant one. */
export function behindSentence({ asOf, past, derivation: { caughtUpAt, waiting } }: Now): string | undefined {
  // The present delay does not apply to a past moment.
  if (past !== undefined) return undefined
  if (caughtUpAt === null) {
    // Nothing is counted in the first moments after a start.
    return `Processing the data that clusters sent${waiting === 0 ? '' : `: ${countOf(waiting, 'cluster')} remaining`}.`
  }
  const behindMs = msOf(asOf) - msOf(caughtUpAt)
  if (behindMs < BEHIND_AFTER_MS) return undefined
  return `Data that ${countOf(waiting, 'cluster')} sent in the last ${formatAge(behindMs)} is not processed yet.`
}

export type Headline =
  | { readonly kind: 'no_clusters' }
  /** After a start, before the first evaluation. */
  | { readonly kind: 'reading'; readonly sentence: string }
  | { readonly kind: 'good'; readonly sentence: string }
  /** No stuck upgrade is known, but not all clusters report. */
  | { readonly kind: 'unsure'; readonly sentence: string }
  | { readonly kind: 'stuck'; readonly sentence: string }

export function headlineOf(now: Now): Headline {
  const { total, reporting, unknown, gone } = now.clusters
  if (total === 0 && gone > 0) {
    return {
      kind: 'unsure',
      sentence: `No active clusters: ${countOf(gone, 'known cluster is', 'known clusters are')} decommissioned.`,
    }
  }
  if (total === 0) {
    const { caughtUpAt, waiting } = now.derivation
    if (waiting > 0)
      return { kind: 'reading', sentence: `Processing the first data of ${countOf(waiting, 'cluster')}.` }
    return caughtUpAt === null ? { kind: 'reading', sentence: 'Loading stored data.' } : { kind: 'no_clusters' }
  }
  if (now.stuck.count > 0) {
    return { kind: 'stuck', sentence: `${countOf(now.stuck.count, 'upgrade is', 'upgrades are')} stuck.` }
  }
  if (reporting === 0) return { kind: 'unsure', sentence: 'No current data: no cluster is reporting.' }
  if (unknown >= reporting) {
    return { kind: 'unsure', sentence: 'No upgrade is known to be stuck, but no cluster reports upgrade data.' }
  }
  if (now.faults !== null && now.faults.storage !== null) {
    return { kind: 'unsure', sentence: 'No upgrade was stuck when data was last stored.' }
  }
  return { kind: 'good', sentence: 'No stuck upgrades.' }
}

/** The text of an empty list. */
export function emptySentence({ clusters }: Pick<Now, 'clusters'>, sentence: string): string {
  return clusters.reporting === 0 ? 'Not known: no cluster is reporting.' : sentence
}

/** The text without firing alerts. */
export function firingSentence({ faults }: Pick<Now, 'faults'>): string {
  const failing = faults?.failingRules ?? 0
  if (failing === 0) return 'No firing alerts.'
  return `No firing alerts known: ${countOf(failing, 'rule', 'rules')} could not be evaluated.`
}

/** The note below the number of silent clusters. Clusters in an upgrade are the first of their rows. */
export function silentNote({ silent, clusters }: Pick<Now, 'silent' | 'clusters'>): string {
  const inUpgrade = silent.items.filter(({ upgrade }) => upgrade !== null).length
  if (inUpgrade === 0) return `no data for ${formatAge(clusters.silentAfterSeconds.metrics * 1000)}`
  const isMore = inUpgrade === silent.items.length && silent.count > inUpgrade
  return `${formatCount(inUpgrade)}${isMore ? ' or more' : ''} in an upgrade`
}

/** `6 of 12 (50 %)`: successful upgrades of a period. */
export function outcomesWords({ succeeded, of }: FallingEdgeItem['lately']): string {
  return `${formatCount(succeeded)} of ${formatCount(of)} (${formatShare(succeeded, of)})`
}
