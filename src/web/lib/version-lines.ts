import type { ShareAnswer } from '../../contract/adoption.ts'
import type { AdoptionView } from './adoption-view.ts'
import { lastCountedDay } from './share-bands.ts'

/**
 * HyperConverged has two lines of versions: the community's (`1.18.1`) and OpenShift's build of it (`4.21.3`). Neither is older
 * than the other, so a fleet with both is looked at one line at a time. Pure.
 */

/** What the lines are called; the flavours of the API. */
export const LINE_NAMES: Readonly<Record<string, string>> = { community: 'Community', openshift: 'OpenShift' }

/** Only this operator has them. */
export function hasLines({ operator }: AdoptionView): boolean {
  return operator === '' || operator === 'kubevirt-hyperconverged'
}

/** Those that anybody runs, by an answer by flavour: the one with most clusters first; none when there is one only. */
export function linesOf(answer: ShareAnswer): readonly string[] {
  const last = lastCountedDay(answer)
  if (last === undefined) return []
  const lines = answer.series.filter(({ clusters }) => clusters[last]! > 0)
  return lines.length < 2
    ? []
    : lines.toSorted((a, b) => b.clusters[last]! - a.clusters[last]!).map(({ value }) => value)
}

/** As `only.flavour`. Clusters that tell no flavour may be of any line: they are not known, and not left out. */
export function onlyLine(line: string): readonly string[] {
  return [line, '-']
}

/** The view of one line: of the one that is chosen, else of the largest. */
export function onOneLine(view: AdoptionView, lines: readonly string[]): AdoptionView {
  const [largest] = lines
  if (largest === undefined || view.only.flavour !== undefined) return view
  return { ...view, only: { ...view.only, flavour: onlyLine(largest) } }
}
