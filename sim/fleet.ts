import type { Labels } from '../src/model/labels.ts'
import { roleOf } from './cast.ts'
import { createPlan } from './scenario.ts'
import type { ClusterPlan, Role } from './cluster-plan.ts'
import { createPrometheus, type SimPrometheus } from './sim-prometheus.ts'
import { truthOf, type Truth } from './truth.ts'

/**
 * A fleet of clusters whose every sample, for ever, follows from a seed. The same options give the same bytes; more
 * clusters leave the first ones as they are.
 */
export interface Fleet {
  readonly scrapeMs: number
  readonly plans: readonly ClusterPlan[]
  /** Everything that sends: one per cluster, two for a cluster with an HA pair. */
  readonly prometheuses: readonly SimPrometheus[]
  /** What all of them send of their latest scrape not after `timeMs`. Ask in time order. */
  samplesAt(timeMs: number): IterableIterator<FleetSample>
  truthAt(timeMs: number): Truth
}

export interface FleetSample {
  readonly labels: Labels
  readonly timeMs: number
  /** 0 when `isStale`. */
  readonly value: number
  readonly isStale: boolean
}

export interface FleetOptions {
  readonly seed: string
  /** How many clusters; at least 1. */
  readonly clusters: number
  /** Where the history begins. */
  readonly startMs: number
  /** The moment the roles are set up for; `startMs` when absent. */
  readonly presentMs?: number
  /** Between two scrapes; 30 seconds when absent. */
  readonly scrapeMs?: number
  /** Who plays what; the default cast when absent. */
  readonly roleOf?: (index: number) => Role
}

export const DEFAULT_SCRAPE_MS = 30_000

export function createFleet(options: FleetOptions): Fleet {
  const { seed, clusters, startMs, presentMs = startMs, scrapeMs = DEFAULT_SCRAPE_MS } = options
  const plans = Array.from({ length: clusters }, (_, index) =>
    createPlan({ seed, index, role: (options.roleOf ?? roleOf)(index), startMs, presentMs, scrapeMs }),
  )
  const prometheuses = plans.flatMap((plan) =>
    (plan.profile.isHa ? [0, 1] : [0]).map((replica) => createPrometheus(plan, replica, scrapeMs)),
  )
  return {
    scrapeMs,
    plans,
    prometheuses,
    *samplesAt(timeMs) {
      for (const prometheus of prometheuses) {
        for (const { labels, samples } of prometheus.collect(
          prometheus.scrapesBetween(timeMs - scrapeMs + 1, timeMs + 1),
        )) {
          for (const sample of samples) {
            yield { labels, timeMs: sample.timeMs, value: sample.value, isStale: sample.isStale === true }
          }
        }
      }
    },
    truthAt: (timeMs) => truthOf(plans, timeMs),
  }
}
