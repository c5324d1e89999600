/** All hazards, in the order of `HAZARD_IDS`. */
import { HAZARD_IDS, type HazardId } from '../../../model/readiness.ts'
import { criticalAlerts } from './critical-alerts.ts'
import { degradedPool } from './degraded-pool.ts'
import { deprecatedApis } from './deprecated-apis.ts'
import { deschedulerAfterUpgrade } from './descheduler-after-upgrade.ts'
import { descheduler } from './descheduler.ts'
import { disruptionBudgetAlerts } from './disruption-budget-alerts.ts'
import { emptyUpdateMethods } from './empty-update-methods.ts'
import { eusOrder } from './eus-order.ts'
import { failForward } from './fail-forward.ts'
import { fewNodes } from './few-nodes.ts'
import { goldenImages } from './golden-images.ts'
import { jsonPatch } from './json-patch.ts'
import { liveMigrateOnly } from './live-migrate-only.ts'
import { machineTypes } from './machine-types.ts'
import { manualApproval } from './manual-approval.ts'
import { maxOpenShiftVersion } from './max-openshift-version.ts'
import { migrationDefaults } from './migration-defaults.ts'
import { migrationRetries } from './migration-retries.ts'
import { nmstateOperator } from './nmstate-operator.ts'
import { nodeMaintenanceOperator } from './node-maintenance-operator.ts'
import { nodes } from './nodes.ts'
import { nonEvictableVms } from './non-evictable-vms.ts'
import { notUpgradeable } from './not-upgradeable.ts'
import { openUpgrade } from './open-upgrade.ts'
import { operatorUnhealthy } from './operator-unhealthy.ts'
import { outOfBand } from './out-of-band.ts'
import { pausedPool } from './paused-pool.ts'
import { rolloutRace } from './rollout-race.ts'
import { rwoVolumes } from './rwo-volumes.ts'
import { storageVersion } from './storage-version.ts'
import { versionSkew } from './version-skew.ts'
import type { Hazard } from '../hazard.ts'

export const HAZARDS: readonly Hazard[] = [
  jsonPatch,
  outOfBand,
  nodeMaintenanceOperator,
  nmstateOperator,
  nonEvictableVms,
  rwoVolumes,
  liveMigrateOnly,
  emptyUpdateMethods,
  pausedPool,
  eusOrder,
  manualApproval,
  versionSkew,
  migrationRetries,
  descheduler,
  deschedulerAfterUpgrade,
  fewNodes,
  maxOpenShiftVersion,
  machineTypes,
  deprecatedApis,
  storageVersion,
  migrationDefaults,
  rolloutRace,
  failForward,
  disruptionBudgetAlerts,
  goldenImages,
  operatorUnhealthy,
  notUpgradeable,
  degradedPool,
  nodes,
  criticalAlerts,
  openUpgrade,
]

const BY_ID = new Map(HAZARDS.map((hazard) => [hazard.id, hazard]))

export function hazardOf(id: HazardId): Hazard {
  return BY_ID.get(id)!
}

export function isHazardId(text: string): text is HazardId {
  return (HAZARD_IDS as readonly string[]).includes(text)
}
