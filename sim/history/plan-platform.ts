import { platformVersion, type ClusterProfile } from '../cluster-profile.ts'
import { hashOf, randomOf } from '../random.ts'
import { openshiftMinorOf } from '../release.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../scenarios/window.ts'
import type { HcoUpgrade, PlatformHistory, PlatformUpgrade } from './cluster-history.ts'

const DAY_MS = 24 * HOUR_MS

/**
 * OpenShift goes to a minor some days before HCO goes to the release that belongs to it, masters and workers node by
 * node. Now and then a machine cannot be moved away, and its node waits. Plain Kubernetes has nothing of this.
 */
export function planPlatform(
  profile: ClusterProfile,
  upgrades: readonly HcoUpgrade[],
  fromMs: number,
  untilMs: number,
): PlatformHistory | undefined {
  if (profile.platform !== 'openshift') return undefined
  const random = randomOf(profile.seed, 'history platform')
  let minor = openshiftMinorOf(upgrades[0]?.from ?? profile.firstRelease)
  const firstVersion = platformVersion(profile, minor)
  const planned: PlatformUpgrade[] = []
  let freeMs = fromMs + HOUR_MS
  for (const upgrade of upgrades) {
    const wanted = openshiftMinorOf(upgrade.to)
    const startMs = upgrade.offeredMs - Math.floor(((0.3 + random.next() * 4) * DAY_MS) / SECOND_MS) * SECOND_MS
    const lasts = random.chance(0.08) ? random.int(2, 20) * HOUR_MS : 0
    const before = upgrades[upgrade.index - 1]
    const busyMs = Math.max(freeMs, before?.workloads?.endMs ?? 0, before?.endMs ?? 0)
    // Who waited too long has the platform where it is; HCO of the next minor runs there too.
    if (wanted <= minor || startMs < busyMs || startMs >= untilMs) continue
    const next = planPlatformUpgrade(profile, minor, wanted, startMs, lasts)
    planned.push(next)
    minor = wanted
    freeMs = next.endMs + HOUR_MS
  }
  return { firstVersion, upgrades: planned }
}

/** From one minor to another, node by node; a node in the middle waits for `stallMs`. */
export function planPlatformUpgrade(
  profile: ClusterProfile,
  fromMinor: number,
  toMinor: number,
  startMs: number,
  stallMs: number,
): PlatformUpgrade {
  const [from, to] = [platformVersion(profile, fromMinor), platformVersion(profile, toMinor)]
  const random = randomOf(profile.seed, 'history platform', to)
  let atMs = startMs + random.int(20, 40) * MINUTE_MS
  let stall: PlatformUpgrade['stall']
  const pool = (name: 'master' | 'worker', machines: number): PlatformUpgrade['pools'][number] => {
    const poolStartMs = atMs
    const doneMs: number[] = []
    for (let i = 0; i < machines; i++) {
      if (name === 'worker' && stallMs > 0 && i === Math.floor(machines / 2)) {
        stall = {
          fromMs: atMs,
          untilMs: atMs + stallMs,
          kind: hashOf(profile.seed, 'stall', to) % 3 === 0 ? 'pool' : 'drain',
        }
        atMs += stallMs
      }
      atMs += random.int(240, 600) * SECOND_MS
      doneMs.push(atMs)
    }
    return { name, startMs: poolStartMs, doneMs }
  }
  const pools =
    profile.nodes.length > 2 ? [pool('master', 3), pool('worker', profile.nodes.length)] : [pool('master', 1)]
  return { from, to, startMs, pools, endMs: atMs + random.int(60, 200) * SECOND_MS, stall }
}
