import type { ClusterProfile } from '../cluster-profile.ts'
import { randomOf } from '../random.ts'
import { HOUR_MS } from '../scenarios/window.ts'
import type { Delivery, HcoUpgrade } from './cluster-history.ts'

const DAY_MS = 24 * HOUR_MS

/** A few clusters have a wrong clock; all Collectors start anew now and then; some clusters are cut off for hours. */
export function planDelivery(
  profile: ClusterProfile,
  fromMs: number,
  untilMs: number,
  upgrades: readonly HcoUpgrade[],
): Delivery {
  const random = randomOf(profile.seed, 'history delivery')
  const anyMs = (): number => Math.floor((fromMs + random.next() * (untilMs - fromMs)) / 1000) * 1000
  const hasWrongClock = random.chance(0.12)
  const skewMs = hasWrongClock ? random.int(-90, 90) * 1000 : 0
  const restarts = Math.round(((untilMs - fromMs) / (90 * DAY_MS)) * (0.5 + random.next()))
  const restartsMs = Array.from({ length: restarts }, anyMs).toSorted((a, b) => a - b)
  const outages: Delivery['outages'][number][] = []
  if (random.chance(0.2)) {
    const startMs = anyMs()
    outages.push({
      fromMs: startMs,
      untilMs: startMs + random.int(1, 40) * HOUR_MS,
      kind: random.chance(0.5) ? 'gap' : 'late',
    })
  }
  const hit = upgrades[random.int(0, Math.max(0, upgrades.length - 1))]
  if (random.chance(0.12) && hit !== undefined && hit.csv.createdMs < Infinity) {
    const startMs = hit.csv.createdMs + random.int(0, 600) * 1000
    outages.push({ fromMs: startMs, untilMs: startMs + random.int(3, 60) * 60_000, kind: 'gap' })
  }
  return { skewMs, restartsMs, outages: outages.toSorted((a, b) => a.fromMs - b.fromMs), repeatShare: 0.02 }
}
