import type { EdgeItem } from '../../contract/fleet-edges.ts'
import type { StrandedItem } from '../../contract/fleet-stranded.ts'
import { countOf, formatCount } from './format-number.ts'

/** Why a version is called stranded, and what to look at, in a sentence. Pure. */
export function strandedSentence(item: StrandedItem): string {
  const { version, reason, endedLately, newest } = item
  switch (reason) {
    case 'failing':
      return `${countOf(endedLately, 'upgrade')} from it ended in the last 90 days, and none succeeded: look at what they stood on.`
    case 'never_left':
      return `Nobody was ever seen leaving it, though others run ${newest}: a direct step may not exist.`
    case 'not_lately':
      return `Nobody left it in the last 90 days: the step may be gone from the channel.`
    case 'not_offered':
      return `Others leave ${version}, these are told that they have the latest: a stale mirror or a pinned catalog.`
  }
}

export const STRANDED_WORDS: Readonly<Record<StrandedItem['reason'], string>> = {
  failing: 'all ways out fail',
  never_left: 'never left',
  not_lately: 'not left lately',
  not_offered: 'not offered a newer one',
}

/** `3 of 12 clusters` that run the version. */
export function strandedCount({ clusters, population }: Pick<StrandedItem, 'clusters' | 'population'>): string {
  return clusters === population
    ? `${population > 1 ? 'all ' : ''}${countOf(population, 'cluster')}`
    : `${formatCount(clusters)} of ${countOf(population, 'cluster')}`
}

/** Edges of HCO that lead to a stranded version or away from it. */
export function strandedEdges(edges: readonly EdgeItem[], stranded: readonly StrandedItem[] = []): EdgeItem[] {
  const versions = new Set(stranded.map(({ version }) => version))
  return edges.filter(
    ({ operator, from, to }) => operator === 'kubevirt-hyperconverged' && (versions.has(from) || versions.has(to)),
  )
}
