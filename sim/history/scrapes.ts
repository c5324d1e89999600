import { HOUR_MS, isWithin, MINUTE_MS, type Window } from '../scenarios/window.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { isCutOff } from './watch.ts'

const SCRAPE_MS = 30_000
const DENSE_MS = 2 * HOUR_MS
/** While an upgrade is open and nothing happens. */
const OPEN_EVERY_MS = 5 * MINUTE_MS
export const SPARSE_EVERY_MS = 6 * HOUR_MS

/**
 * When the cluster's Prometheus scrapes: every 30 seconds around what happens, now and then elsewhere, so that a year of
 * a fleet fits one machine. Rising; what the Prometheus could not send is not in it.
 */
export function scrapeTimes(history: ClusterHistory): readonly number[] {
  const dense = denseWindows(history)
  const open = openWindows(history)
  const offsetMs = history.profile.scrapeOffsetMs
  const times: number[] = []
  let atMs = Math.ceil((history.fromMs - offsetMs) / SCRAPE_MS) * SCRAPE_MS + offsetMs
  let [nextDense, nextOpen] = [0, 0]
  while (atMs < history.untilMs) {
    if (!isCutOff(history.delivery, atMs)) times.push(atMs)
    while (nextDense < dense.length && dense[nextDense]!.untilMs <= atMs) nextDense++
    while (nextOpen < open.length && open[nextOpen]!.untilMs <= atMs) nextOpen++
    const [near, around] = [dense[nextDense], open[nextOpen]]
    if (near !== undefined && isWithin(near, atMs)) {
      atMs += SCRAPE_MS
      continue
    }
    const stepMs = around !== undefined && isWithin(around, atMs) ? OPEN_EVERY_MS : SPARSE_EVERY_MS
    // Never past the beginning of a window.
    const beginsMs = Math.min(
      near?.fromMs ?? Infinity,
      stepMs === OPEN_EVERY_MS ? Infinity : (around?.fromMs ?? Infinity),
    )
    const alignedMs = Math.ceil((beginsMs - offsetMs) / SCRAPE_MS) * SCRAPE_MS + offsetMs
    atMs = Math.min(atMs + stepMs, Math.max(alignedMs, atMs + SCRAPE_MS))
  }
  return times
}

function denseWindows({ upgrades, platform, edits, patches, hcoRestarts = [] }: ClusterHistory): readonly Window[] {
  const around = (atMs: number, afterMs = 15 * MINUTE_MS): Window => ({
    fromMs: atMs - 10 * MINUTE_MS,
    untilMs: atMs + afterMs,
  })
  const windows = [
    ...upgrades.flatMap((upgrade) => [
      around(upgrade.offeredMs),
      around(upgrade.csv.createdMs, DENSE_MS),
      ...(upgrade.stall === undefined
        ? []
        : [around(upgrade.stall.fromMs, DENSE_MS), around(upgrade.stall.untilMs, DENSE_MS)]),
      ...[upgrade.endMs, upgrade.abortedMs, upgrade.workloads?.endMs ?? Infinity].map((atMs) => around(atMs)),
    ]),
    ...(platform?.upgrades ?? []).flatMap(({ startMs, endMs }) => [around(startMs), around(endMs)]),
    ...[...edits, ...hcoRestarts].map(({ atMs }) => around(atMs)),
    ...patches.flatMap(({ fromMs, untilMs }) => [around(fromMs), around(untilMs)]),
  ]
  return merged(windows)
}

/** While an upgrade is open, at most `OPEN_MS` of it. Rising, without overlaps. */
export function openWindows({ upgrades, platform }: ClusterHistory): readonly Window[] {
  return merged([
    ...upgrades.map((upgrade) => ({
      fromMs: upgrade.csv.createdMs,
      untilMs: Math.min(
        Math.max(Math.min(upgrade.endMs, upgrade.abortedMs), upgrade.workloads?.endMs ?? 0),
        upgrade.csv.createdMs + OPEN_MS,
      ),
    })),
    ...(platform?.upgrades ?? []).map(({ startMs, endMs }) => ({ fromMs: startMs, untilMs: endMs })),
  ])
}

/** What stands for longer is looked at as seldom as anything else. */
const OPEN_MS = 48 * HOUR_MS

function merged(windows: readonly Window[]): readonly Window[] {
  const out: Window[] = []
  const sorted = windows.filter(({ fromMs, untilMs }) => Number.isFinite(fromMs) && untilMs > fromMs)
  for (const window of sorted.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = out.at(-1)
    if (last === undefined || window.fromMs > last.untilMs) out.push(window)
    else out[out.length - 1] = { fromMs: last.fromMs, untilMs: Math.max(last.untilMs, window.untilMs) }
  }
  return out
}
