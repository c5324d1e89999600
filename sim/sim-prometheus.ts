import type { WriteSample } from '../src/wire/remote-write-encode.ts'
import type { Labels } from '../src/model/labels.ts'
import type { ClusterPlan } from './cluster-plan.ts'
import { silenceAt } from './scenarios/silence.ts'
import { hcoGroups } from './series/hco.ts'
import { kubevirtTroubleGroups } from './series/kubevirt-trouble.ts'
import { kubevirtGroups } from './series/kubevirt.ts'
import { olmGroups } from './series/olm.ts'
import { operandGroups } from './series/operands.ts'
import { platformGroups } from './series/platform.ts'
import { externalLabelsOf, type ExternalLabels, type SeriesGroup, type SimSeries } from './series/sim-series.ts'
import { storageGroups } from './series/storage.ts'

/**
 * One Prometheus of one cluster: scrapes at its own moments, and says with a stale marker that a series of the scrape
 * before is gone. An HA pair is two of these, a few seconds apart.
 */
export interface SimPrometheus {
  readonly plan: ClusterPlan
  readonly replica: number
  readonly scrapeMs: number
  /** Moments of its scrapes in [fromMs, untilMs), rising; also those at which the cluster is silent. */
  scrapesBetween(fromMs: number, untilMs: number): readonly number[]
  /** What it sends of the given scrapes, not all of which have to be there, as runs of samples by series. Ask in time order: the series of past versions are forgotten. */
  collect(scrapes: readonly number[]): readonly SampleRun[]
}

/** Samples of one series, oldest first; at least one. */
export interface SampleRun {
  readonly labels: Labels
  readonly samples: readonly WriteSample[]
}

/** The replicas of a pair scrape this far apart. */
export const REPLICA_OFFSET_MS = 7_000

export function createPrometheus(plan: ClusterPlan, replica: number, scrapeMs: number): SimPrometheus {
  const external = externalLabelsOf(plan.profile, replica)
  const seriesAround = openGroups(plan, external)
  const offsetMs = (plan.profile.scrapeOffsetMs + replica * REPLICA_OFFSET_MS) % scrapeMs

  return {
    plan,
    replica,
    scrapeMs,
    scrapesBetween(fromMs, untilMs) {
      const times: number[] = []
      let timeMs = Math.ceil((fromMs - offsetMs) / scrapeMs) * scrapeMs + offsetMs
      for (; timeMs < untilMs; timeMs += scrapeMs) times.push(timeMs)
      return times
    },
    collect(scrapes) {
      const first = scrapes[0]
      const last = scrapes.at(-1)
      if (first === undefined || last === undefined) return []
      const sending = sendingAt(plan, scrapes, scrapeMs)
      const wasSent = first - scrapeMs >= plan.startMs && silenceAt(plan, first - scrapeMs) === undefined
      const runs: SampleRun[] = []
      for (const series of seriesAround(first - scrapeMs, last)) {
        const wasThere = wasSent && series.valueAt(first - scrapeMs) !== undefined
        const samples = samplesOf(series, scrapes, sending, wasThere)
        if (samples.length > 0) runs.push({ labels: series.labels, samples })
      }
      return runs
    },
  }
}

/** What becomes of each scrape: sent, lost, or, when the cluster says farewell, everything marked stale. */
type Sending = 'sent' | 'lost' | 'farewell'

function sendingAt(plan: ClusterPlan, scrapes: readonly number[], scrapeMs: number): readonly Sending[] {
  return scrapes.map((timeMs, i) => {
    const silence = silenceAt(plan, timeMs)
    if (silence === undefined) return 'sent'
    const beforeMs = scrapes[i - 1] ?? timeMs - scrapeMs
    return plan.silence?.hasStaleMarkers === true && beforeMs < silence.fromMs ? 'farewell' : 'lost'
  })
}

// HOT: once per sample of a backfill. One object per sample, which is what the encoder takes.
function samplesOf(
  series: SimSeries,
  scrapes: readonly number[],
  sending: readonly Sending[],
  wasThereBefore: boolean,
): WriteSample[] {
  const samples: WriteSample[] = []
  let wasThere = wasThereBefore
  for (let i = 0; i < scrapes.length; i++) {
    const timeMs = scrapes[i]!
    const value = series.valueAt(timeMs)
    if (sending[i] === 'sent') {
      if (value !== undefined) samples.push({ timeMs, value })
      else if (wasThere) samples.push({ timeMs, value: 0, isStale: true })
    } else if (sending[i] === 'farewell' && wasThere) {
      samples.push({ timeMs, value: 0, isStale: true })
    }
    // What was lost has no end to tell of: the server never heard of it.
    wasThere = value !== undefined && sending[i] === 'sent'
  }
  return samples
}

/** Makes the series of a group when its time comes, and forgets them when it is over. */
function openGroups(
  plan: ClusterPlan,
  external: ExternalLabels,
): (fromMs: number, untilMs: number) => readonly SimSeries[] {
  const groups: readonly SeriesGroup[] = [
    ...hcoGroups(plan),
    ...kubevirtGroups(plan),
    ...kubevirtTroubleGroups(plan),
    ...operandGroups(plan),
    ...olmGroups(plan),
    ...platformGroups(plan),
    ...storageGroups(plan),
  ]
  const open = new Map<SeriesGroup, readonly SimSeries[]>()
  return (fromMs, untilMs) =>
    groups.flatMap((group) => {
      if (group.fromMs > untilMs || group.untilMs <= fromMs) {
        open.delete(group)
        return []
      }
      const series = open.get(group) ?? group.make(external)
      open.set(group, series)
      return series
    })
}
