import type { Now } from '../../contract/now.ts'
import { countOf } from './format-number.ts'
import { behindSentence } from './now-summary.ts'

/** Why there are no adoption counts yet, and how far their computation is. */
export function firstCountSentence(now: Now): string {
  const { total } = now.clusters
  const { daysToCount } = now.derivation
  const behind = behindSentence(now)
  const reported = total === 0 ? '' : `${countOf(total, 'cluster has', 'clusters have')} reported. `
  const order = behind === undefined ? '' : `${behind} Counting starts after that. `
  const days = daysToCount === 0 ? '' : `${countOf(daysToCount, 'day is', 'days are')} still to be counted. `
  return `${reported}${order}${days}The present day is counted within 15 min, then daily at midnight UTC; a chart over time needs a few days.`
}
