import type { ShareAnswer } from '../../contract/adoption.ts'
import type { AdoptionView } from './adoption-view.ts'
import { lastCountedDay } from './share-bands.ts'

/**
 * HyperConverged has two version lines: the community's (`1.18.1`) and OpenShift's build (`4.21.3`). Their versions do not
 * compare, so the page shows one line at a time. Pure.
 */

/** Names of the lines, by `flavour` of the API. */
export const LINE_NAMES: Readonly<Record<string, string>> = { community: 'Community', openshift: 'OpenShift' }

/** The only operator with version lines. */
export function hasLines({ operator }: AdoptionView): boolean {
  return operator === '' || operator === 'kubevirt-hyperconverged'
}

/** The lines in use, from an answer by flavour: most clusters first; empty when there is only one. */
export function linesOf(answer: ShareAnswer): readonly string[] {
  const last = lastCountedDay(answer)
  if (last === undefined) return []
  const lines = answer.series.filter(({ clusters }) => clusters[last]! > 0)
  return lines.length < 2
    ? []
    : lines.toSorted((a, b) => b.clusters[last]! - a.clusters[last]!).map(({ value }) => value)
}

/** The filter `only.flavour`. Clusters without a reported flavour may be on any line and stay included. */
export function onlyLine(line: string): readonly string[] {
  return [line, '-']
}

/** The view of the selected line, by default the largest. */
export function onOneLine(view: AdoptionView, lines: readonly string[]): AdoptionView {
  const [largest] = lines
  if (largest === undefined || view.only.flavour !== undefined) return view
  return { ...view, only: { ...view.only, flavour: onlyLine(largest) } }
}
