import type { Alert } from '../model/alert.ts'
import { readPresence, readSilences } from './clusters.ts'
import type { Silence } from './clusters.ts'
import { firingNow } from './firing.ts'
import type { FiringNow } from './firing.ts'
import type { FleetReader } from './fleet-reader.ts'
import type { FleetOptions } from './options.ts'
import { runningVersion } from './upgrade-state.ts'
import { readUpgrades, stuckSentence } from './upgrades.ts'
import type { ClusterUpgrade } from './upgrades.ts'
import { compareVersions } from './version-order.ts'

/** The state of the fleet in one answer: what is stuck, upgrading, firing, silent, and which versions run. */
export interface FleetNow {
  readonly asOfMs: number
  readonly clusters: {
    readonly total: number
    readonly reporting: number
    readonly silentAfterMs: number
    /** Reporting, but nothing that upgrades are read from. */
    readonly unknown: number
  }
  /** The rule behind `isStuck`, as a sentence. */
  readonly stuckSentence: string
  /** All upgrades, stuck ones too; those that stand still longest first. */
  readonly upgrades: readonly ClusterUpgrade[]
  readonly firing: FiringNow
  readonly silent: readonly Silence[]
  /** Newest first. Clusters whose version is not known are in none. */
  readonly versions: readonly { readonly version: string; readonly clusters: number }[]
}

/** Pure but for what it reads: the same reader, alerts and time give the same answer. */
export async function deriveNow(
  reader: FleetReader,
  alerts: readonly Alert[],
  nowMs: number,
  options: FleetOptions,
): Promise<FleetNow> {
  const [presence, { upgrades, snapshots }] = await Promise.all([
    readPresence(reader, nowMs, options),
    readUpgrades(reader, nowMs, options),
  ])
  const { known, reporting, telling } = presence
  const silent = await readSilences(
    reader,
    known.filter((cluster) => !reporting.has(cluster)),
    nowMs,
    options,
  )
  const versions = new Map<string, number>()
  for (const cluster of reporting) {
    const snapshot = snapshots.get(cluster)
    const version = snapshot === undefined ? undefined : runningVersion(snapshot)
    if (version !== undefined) versions.set(version, (versions.get(version) ?? 0) + 1)
  }
  return {
    asOfMs: nowMs,
    clusters: {
      total: known.length,
      reporting: reporting.size,
      silentAfterMs: options.silentAfterMs,
      unknown: [...reporting].filter((cluster) => !telling.has(cluster)).length,
    },
    stuckSentence: stuckSentence(options),
    // A silent cluster's upgrade may have ended meanwhile: it is silent, and that is all that is known.
    upgrades: upgrades.filter(({ cluster }) => reporting.has(cluster)).sort((a, b) => a.lastChangeMs - b.lastChangeMs),
    firing: firingNow(alerts),
    silent,
    versions: [...versions]
      .map(([version, clusters]) => ({ version, clusters }))
      .sort((a, b) => compareVersions(b.version, a.version)),
  }
}
