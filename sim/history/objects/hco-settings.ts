import type { HyperConvergedFacts } from '../../../src/model/object-facts.ts'
import type { FieldManager } from '../../../src/model/observation.ts'
import type { ClusterProfile } from '../../cluster-profile.ts'
import { randomOf } from '../../random.ts'
import type { Release } from '../../release.ts'
import { HOUR_MS } from '../../scenarios/window.ts'
import type { ClusterHistory } from '../cluster-history.ts'
import { ownerOf } from '../managers.ts'

/** A feature gate of HyperConverged, with the minors that have it. */
interface Gate {
  readonly name: string
  readonly since: number
  readonly until: number
  /** On by default from this minor on. */
  readonly onSince?: number
  /** Share of the clusters that set it otherwise than its default. */
  readonly share: number
}

const GATES: readonly Gate[] = [
  { name: 'autoResourceLimits', since: 11, until: 14, share: 0.03 },
  { name: 'containerPathVolumes', since: 18, until: 18, share: 0.04 },
  { name: 'decentralizedLiveMigration', since: 16, until: 18, onSince: 18, share: 0.05 },
  { name: 'declarativeHotplugVolumes', since: 16, until: 18, share: 0.07 },
  { name: 'deployKubeSecondaryDNS', since: 9, until: 18, share: 0.12 },
  { name: 'deployKubevirtIpamController', since: 13, until: 13, share: 0.1 },
  { name: 'deployVmConsoleProxy', since: 11, until: 14, share: 0.08 },
  { name: 'disableMDevConfiguration', since: 11, until: 18, share: 0.05 },
  { name: 'downwardMetrics', since: 12, until: 18, share: 0.15 },
  { name: 'enableApplicationAwareQuota', since: 11, until: 14, share: 0.05 },
  { name: 'enableManagedTenantQuota', since: 11, until: 13, share: 0.02 },
  { name: 'enableMultiArchBootImageImport', since: 16, until: 18, share: 0.04 },
  { name: 'incrementalBackup', since: 18, until: 18, share: 0.08 },
  { name: 'objectGraph', since: 17, until: 18, share: 0.03 },
  { name: 'persistentReservation', since: 10, until: 18, share: 0.06 },
  { name: 'videoConfig', since: 17, until: 18, onSince: 17, share: 0.02 },
]

/** The owner of a cluster sets a gate otherwise than its default. */
export interface GateWrite {
  readonly atMs: number
  readonly gate: string
  readonly by: FieldManager
}

const DAY_MS = 24 * HOUR_MS
const SET_WITHIN_DAYS = 200
/** After the version that brings it. */
const TRIED_WITHIN_DAYS = 9

/** Each gate at most once, months after the installation and days after the version that has it, in whole seconds. */
export function gateWrites(
  history: Pick<ClusterHistory, 'profile' | 'installedMs' | 'firstCsv' | 'upgrades'>,
): readonly GateWrite[] {
  const { profile, installedMs, firstCsv, upgrades } = history
  const drawn = randomOf(profile.seed, 'settings')
  return GATES.filter(({ share }) => drawn.chance(share)).map(({ name, since }) => {
    const random = randomOf(profile.seed, 'gate', name)
    const setMs = installedMs + random.int(HOUR_MS, SET_WITHIN_DAYS * DAY_MS)
    const reached = upgrades.filter(({ to }) => to.minor >= since).map(({ endMs }) => endMs)
    const hadMs = firstCsv.release.minor >= since ? installedMs : Math.min(Infinity, ...reached)
    const atMs = Math.max(setMs, hadMs + random.int(HOUR_MS, TRIED_WITHIN_DAYS * DAY_MS))
    return { atMs: Math.floor(atMs / 1000) * 1000, gate: name, by: ownerOf(profile, name) }
  })
}

/**
 * The settings of HyperConverged at a release: its defaults, and what the cluster's owner set. From the seed alone.
 * @param ownGates those that are set otherwise than their default
 */
export function settingsOf(
  profile: ClusterProfile,
  { minor }: Release,
  ownGates: ReadonlySet<string>,
): Pick<
  HyperConvergedFacts,
  | 'batchEvictionSize'
  | 'batchEvictionInterval'
  | 'evictionStrategy'
  | 'uninstallStrategy'
  | 'liveMigration'
  | 'featureGates'
> {
  const random = randomOf(profile.seed, 'settings')
  // As `gateWrites` draws them: what is drawn below stays as it was.
  for (const { share } of GATES) random.chance(share)
  const isTuned = random.chance(0.2)
  const eviction = random.weighted([
    ['LiveMigrate', 17],
    ['LiveMigrateIfPossible', 3],
  ])
  const isRemoved = random.chance(profile.environment === 'lab' ? 0.5 : 0.03)
  return {
    batchEvictionSize: random.weighted([
      [10, 16],
      [5, 2],
      [20, 2],
    ]),
    batchEvictionInterval: '1m0s',
    evictionStrategy: profile.nodes.length > 1 ? eviction : 'None',
    uninstallStrategy: isRemoved ? 'RemoveWorkloads' : 'BlockUninstallIfWorkloadsExist',
    liveMigration: {
      allowAutoConverge: isTuned && random.chance(0.4),
      allowPostCopy: isTuned && random.chance(0.2),
      completionTimeoutPerGiB: minor >= 14 ? 150 : 800,
      parallelMigrationsPerCluster: isTuned ? random.pick([2, 8, 10, 20]) : 5,
      parallelOutboundMigrationsPerNode: isTuned ? random.pick([1, 2, 4]) : 2,
      progressTimeout: isTuned ? random.pick([150, 300]) : 150,
    },
    featureGates: Object.fromEntries(
      GATES.filter(({ since, until }) => minor >= since && minor <= until).map(({ name, onSince = Infinity }) => [
        name,
        minor >= onSince !== ownGates.has(name),
      ]),
    ),
  }
}

/** Machines that cannot be migrated stay where they are: an eviction would restart them. */
export function updateMethodsOf({ seed, fixedVms }: ClusterProfile): readonly string[] {
  const evicts = randomOf(seed, 'update methods').chance(0.1)
  return evicts && fixedVms === 0 ? ['LiveMigrate', 'Evict'] : ['LiveMigrate']
}
