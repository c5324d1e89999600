/** No evidence decides: what is missing. */
import type { SilentCluster } from './silent-cluster.ts'
import { GROUP_MIN } from './silence-groups.ts'
import { timeText } from './silence-texts.ts'

/** A list of objects that has not arrived, and is not late. */
export function dueEvidence({ undecidedUntilMs }: SilentCluster): readonly string[] {
  if (undecidedUntilMs === undefined) return []
  return [
    `The next list of objects is due until ${timeText(undecidedUntilMs)}: if it arrives, only remote write stopped.`,
  ]
}

/** @param peers other clusters of its region that are not gone */
export function missingEvidence(one: SilentCluster, peers: number): readonly string[] {
  const { sources, record, open } = one
  const region = record?.region
  return [
    ...dueEvidence(one),
    ...(sources.length > 1
      ? []
      : [`Only ${sources[0]!} were ever reported: a stopped sender and an unreachable cluster look the same.`]),
    ...(region === undefined
      ? ['No region is reported: an outage of the network of a region cannot be recognized.']
      : peers + 1 < GROUP_MIN
        ? [
            `${region} has ${peers + 1 === 1 ? 'no other cluster' : `${peers} other cluster`}: an outage of its network cannot be recognized.`,
          ]
        : [`Most of the ${peers} other clusters of ${region} did not fall silent at the same time.`]),
    open.length === 0 ? 'No upgrade was in progress.' : 'No phase of its upgrade started in the hours before.',
    'The cluster was neither declared decommissioned or opted out, nor did its objects show that.',
  ]
}
