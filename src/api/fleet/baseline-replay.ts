import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { BaselineReplayAnswer, BaselineReplayQuery } from '../../contract/fleet-configuration.ts'
import type { DifferingTime, ReplayedCluster } from '../../fleet/configuration/baseline-replay.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { fewAtOnce } from './few-at-once.ts'
import { timeOf } from './items.ts'
import { msOf } from './query.ts'
import { invalidParam } from '../prometheus/params.ts'

const CLUSTERS_MAX = 200
const DAY_MS = 86_400_000
/** As long as the states of objects are stored by default. */
const WINDOW_MS_MAX = 400 * DAY_MS
/** Each replay reads the past of many clusters. */
const REPLAYS_MAX = 2

/** `GET /api/fleet/v1/configuration/baseline/replay`: which clusters would have differed from another baseline, and when. */
export function registerBaselineReplay(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  const limited = fewAtOnce(REPLAYS_MAX, 'replays are running')
  ownRoute(app, 'GET /api/fleet/v1/configuration/baseline/replay', {
    summary: 'Replay of another baseline over a past time: which clusters would have differed, and when.',
    query: BaselineReplayQuery,
    lane: 'query',
    answer: BaselineReplayAnswer,
    handler: ({ query, request }) => {
      const nowMs = clock.nowMs()
      const { baseline, version, region } = query
      const [fromMs, toMs] = [msOf(query.from), msOf(query.to) ?? nowMs]
      if (toMs > nowMs)
        throw invalidParam('to', `got ${query.to}, want a time in the past: the server time is ${timeOf(nowMs)}`)
      if (fromMs >= toMs || toMs - fromMs > WINDOW_MS_MAX) {
        throw invalidParam('from', `got ${query.from}, want a time before ${timeOf(toMs)}, at most 400 days earlier`)
      }
      return limited(async () => {
        const filter = {
          ...(version === undefined ? {} : { versions: version }),
          ...(region === undefined ? {} : { region }),
        }
        const found = await ports(request).fleet({ nowMs }).baselineReplay({ proposed: baseline, fromMs, toMs, filter })
        if (found === undefined) throw new FleetError('not_found', `no cluster is called ${JSON.stringify(baseline)}`)
        const { clusters, total, proposed, present } = found
        return {
          ...{ asOf: timeOf(nowMs), from: timeOf(fromMs), to: timeOf(toMs), proposed, total },
          present: present ?? null,
          compared: clusters.filter(({ comparedMs }) => comparedMs > 0).length,
          onlyProposed: sideOf(clusters, isOnlyProposed),
          onlyPresent: sideOf(clusters, isOnlyPresent),
          both: sideOf(clusters, (time) => !isOnlyProposed(time) && !isOnlyPresent(time)),
          clusters: clusters
            .filter(({ times }) => times.length > 0)
            .sort((a, b) => lengthOf(b.times, isOnlyProposed) - lengthOf(a.times, isOnlyProposed))
            .slice(0, CLUSTERS_MAX)
            .map(({ cluster, comparedMs, times }) => ({
              ...{ cluster, comparedSeconds: comparedMs / 1000 },
              times: times.map(({ fromMs: startMs, untilMs, ...names }) => ({
                ...names,
                from: timeOf(startMs),
                until: timeOf(untilMs),
              })),
            })),
        }
      })
    },
  })
}

const isOnlyProposed = ({ proposed, present }: DifferingTime): boolean => proposed.length > 0 && present.length === 0
const isOnlyPresent = ({ proposed, present }: DifferingTime): boolean => present.length > 0 && proposed.length === 0

function lengthOf(times: readonly DifferingTime[], isCounted: (time: DifferingTime) => boolean): number {
  return times.filter(isCounted).reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0)
}

function sideOf(clusters: readonly ReplayedCluster[], isCounted: (time: DifferingTime) => boolean) {
  const lengths = clusters.map(({ times }) => lengthOf(times, isCounted)).filter((ms) => ms > 0)
  return { clusters: lengths.length, seconds: lengths.reduce((sum, ms) => sum + ms, 0) / 1000 }
}
