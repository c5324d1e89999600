/** The network: the clusters of a region fell silent together, and most clusters elsewhere did not. */
import type { SilenceEvidence } from '../../model/cluster-silence.ts'
import type { SilenceGroup } from './silence-groups.ts'
import { minutesText, shareText } from './silence-texts.ts'

/** Above this share of members with an upgrade in progress, the upgrades explain the silences. */
export const UPGRADING_MAX = 0.8

export function network(group: SilenceGroup | undefined): readonly SilenceEvidence[] {
  if (group === undefined) return []
  const upgrading = group.members.filter(({ open }) =>
    open.some(({ record }) => record.upgrade.state === 'in_progress'),
  )
  if (upgrading.length > UPGRADING_MAX * group.members.length) return []
  const { place, fromMs, untilMs, share, elsewhere } = group
  const within = `within ${minutesText(untilMs - fromMs)}`
  const text =
    place === undefined
      ? `${shareText(share)} of the whole fleet fell silent ${within}.`
      : `${shareText(share)} of ${place} fell silent ${within}; ${elsewhere.silent} of ${elsewhere.of} elsewhere.`
  return [{ cause: 'network', text, atMs: fromMs, share: { ...share, elsewhere } }]
}
