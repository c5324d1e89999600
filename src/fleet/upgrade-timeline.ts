import type { History, Snapshot } from './snapshot.ts'
import { newestOf } from './version-order.ts'

/**
 * When an upgrade began and when it last got further, read from a cluster's history.
 *
 * Further means new: a CSV phase it had not been in, or one node more on the new KubeVirt than ever before. A CSV that
 * goes round Installing, Failed, Pending, or a canary that comes and goes, moves all the time and gets nowhere; here
 * it stands still.
 */
export interface Timeline {
  readonly startedAtMs: number
  readonly lastChangeMs: number
  /** The version that ran before, when the history reaches back to it. */
  readonly from: string | undefined
  /**
   * How the start is known: the new version appeared (`version`); it was there all along but nodes began to differ
   * (`nodes`); or it was under way where the history begins, and started then or earlier (`none`).
   */
  readonly startSign: 'version' | 'nodes' | 'none'
}

/** @param to the version the cluster moves to, as `UpgradeState.to` says it; `history` ends at the present */
export function timelineOf(history: History, to: string): Timeline {
  const { timesMs, snapshots } = history
  const target = newestOf(snapshots.at(-1)?.nodes.keys() ?? [])
  const { start, sign } = startOf(snapshots, to, target)
  const seen = new Set<string>()
  let mostNodes = 0
  let lastChange = start
  for (let i = start; i < snapshots.length; i++) {
    for (const mark of csvMarks(snapshots[i]!)) {
      if (seen.has(mark)) continue
      seen.add(mark)
      lastChange = i
    }
    const nodes = target === undefined ? 0 : (snapshots[i]!.nodes.get(target) ?? 0)
    if (nodes > mostNodes) {
      mostNodes = nodes
      lastChange = i
    }
  }
  const before = snapshots.slice(0, start).findLast(({ csvs }) => csvs.size > 0)
  return {
    startedAtMs: timesMs[start]!,
    lastChangeMs: timesMs[lastChange]!,
    from: before === undefined ? undefined : newestOf([...before.csvs.keys()].filter((version) => version !== to)),
    startSign: sign,
  }
}

/** Of a finer and a longer history of one upgrade, the one that says more about its start; the finer one at a tie. */
export function betterTimeline(fine: Timeline, long: Timeline): Timeline {
  const order = ['version', 'nodes', 'none']
  return order.indexOf(long.startSign) < order.indexOf(fine.startSign) || fine.startSign === 'none' ? long : fine
}

function startOf(
  snapshots: readonly Snapshot[],
  to: string,
  target: string | undefined,
): { readonly start: number; readonly sign: Timeline['startSign'] } {
  // A cluster that speaks of CSVs at all is read by them; steps at which it does not say neither yes nor no.
  const hasCsvs = snapshots.some(({ csvs }) => csvs.size > 0)
  const isTelling = ({ csvs, nodes }: Snapshot): boolean => (hasCsvs ? csvs.size : nodes.size) > 0
  const isThere = ({ csvs, nodes }: Snapshot): boolean =>
    hasCsvs ? csvs.has(to) : target !== undefined && nodes.has(target)
  const firstAfter = (last: number): number => {
    const next = snapshots.findIndex((snapshot, i) => i > last && isTelling(snapshot))
    return next === -1 ? snapshots.length - 1 : next
  }
  const without = snapshots.findLastIndex((snapshot) => isTelling(snapshot) && !isThere(snapshot))
  if (without !== -1) return { start: firstAfter(without), sign: 'version' }
  const isMixed = (snapshots.at(-1)?.nodes.size ?? 0) > 1
  const uniform = isMixed ? snapshots.findLastIndex(({ nodes }) => nodes.size === 1) : -1
  return { start: firstAfter(uniform), sign: uniform === -1 ? 'none' : 'nodes' }
}

function csvMarks({ csvs }: Snapshot): readonly string[] {
  return [...csvs].flatMap(([version, { isSucceeded, phase, reason }]) => [
    `${version} ${isSucceeded ?? 'unknown'}`,
    ...(phase === undefined ? [] : [`${version} ${phase} ${reason ?? ''}`]),
  ])
}
