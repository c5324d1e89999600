import type { Now } from '../../contract/now.ts'
import { countOf, formatCount } from './format-number.ts'
import { formatAge } from './format-time.ts'

/** The sentences of the landing page. Pure, because wording decides whether somebody goes back to bed. */

/** How much of the fleet was seen: every number on the page is said over this. */
export function coverageSentence(now: Now, nowMs: number): string {
  const { total, reporting, unknown } = now.clusters
  const parts = [`${formatCount(reporting)} of ${countOf(total, 'cluster')} reporting`]
  if (unknown > 0) parts.push(`${formatCount(unknown)} ${unknown === 1 ? 'does' : 'do'} not say how upgrades go`)
  return `Last checked ${formatAge(nowMs - now.asOfMs)} ago, ${parts.join(', ')}.`
}

export type Headline =
  | { readonly kind: 'no_clusters' }
  | { readonly kind: 'good'; readonly sentence: string }
  /** Nothing is known to be stuck, but not all of the fleet could be seen. */
  | { readonly kind: 'unsure'; readonly sentence: string }
  | { readonly kind: 'stuck'; readonly sentence: string }

export function headlineOf(now: Now): Headline {
  const { total, reporting, unknown } = now.clusters
  if (total === 0) return { kind: 'no_clusters' }
  if (now.stuck.count > 0) {
    return { kind: 'stuck', sentence: `${countOf(now.stuck.count, 'upgrade is', 'upgrades are')} stuck.` }
  }
  if (reporting === 0) return { kind: 'unsure', sentence: 'Nothing is known: no cluster is reporting.' }
  if (unknown >= reporting) {
    return { kind: 'unsure', sentence: 'Nothing is known to be stuck, but no cluster says how upgrades go.' }
  }
  return { kind: 'good', sentence: 'Nothing is stuck.' }
}
