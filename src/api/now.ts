import type { FastifyInstance } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { NOW_LIST_MAX } from '../contract/now.ts'
import type { ClusterUpgrade, Now } from '../contract/now.ts'
import type { FleetNow } from '../fleet/now.ts'

/** `GET /api/fleet/v1/now`: the landing page in one answer. Counts are exact, lists are cut at `NOW_LIST_MAX`. */
export function registerNow(app: FastifyInstance, now: (nowMs: number) => Promise<FleetNow>, clock: Clock): void {
  app.get('/api/fleet/v1/now', { config: { access: 'viewer', speaks: 'own' } }, async () =>
    nowView(await now(clock.nowMs())),
  )
}

export function nowView(now: FleetNow): Now {
  const stuck = now.upgrades.filter(({ isStuck }) => isStuck)
  const { counts, pending, groups } = now.firing
  return {
    asOfMs: now.asOfMs,
    clusters: now.clusters,
    stuck: {
      count: stuck.length,
      items: stuck.slice(0, NOW_LIST_MAX).map(upgradeView),
      ruleSentence: now.stuckSentence,
    },
    upgrading: { count: now.upgrades.length, items: now.upgrades.slice(0, NOW_LIST_MAX).map(upgradeView) },
    firing: { ...counts, pending, groups: groups.slice(0, NOW_LIST_MAX).map((group) => ({ ...group })) },
    silent: {
      count: now.silent.length,
      items: now.silent.slice(0, NOW_LIST_MAX).map(({ cluster, lastSeenMs, version }) => ({
        cluster,
        lastSeenMs,
        ...(version === undefined ? {} : { version }),
      })),
    },
    versions: now.versions.map((share) => ({ ...share })),
  }
}

function upgradeView({ from, cause, ...rest }: FleetNow['upgrades'][number]): ClusterUpgrade {
  return { ...rest, ...(from === undefined ? {} : { from }), ...(cause === undefined ? {} : { cause }) }
}
