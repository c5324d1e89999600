import type { Csv, Snapshot } from './snapshot.ts'
import { compareVersions, newestOf } from './version-order.ts'

/**
 * Whether a snapshot shows an upgrade, and what of it. Four signs are seen from metrics alone, in this order: OLM
 * installs the new CSV beside the old one; KubeVirt rolls over the nodes; HCO has not settled since the CSV changed
 * although no node has moved; the CSV has changed so lately that its operands cannot be expected to have followed.
 *
 * A CSV that is Succeeded is not the end: only the operators run then. A CSV that is not Succeeded with no other beside
 * it is an installation or a fault, not an upgrade.
 */
export interface UpgradeState {
  readonly phase: 'olm' | 'operands'
  readonly from: string | undefined
  readonly to: string
  /** What is seen, in one sentence without a full stop. */
  readonly detail: string
  /** OLM's reason, when it said one. */
  readonly reason: string | undefined
}

/** Phases in which OLM puts the old CSV. */
const REPLACED_PHASES: ReadonlySet<string> = new Set(['Replacing', 'Deleting'])

/** What the cluster showed before; without it the third and the fourth sign are not seen. */
export interface Past {
  /** `SETTLES_WITHIN_MS` ago. */
  readonly lately: Snapshot | undefined
  /** Some hours ago, several times. */
  readonly earlier: readonly (Snapshot | undefined)[]
}

/**
 * Most updates are through within a quarter of an hour (facts 5.6). Until then an upgrade counts as running although
 * nothing shows it any more: many releases bundle the KubeVirt of the one before, and then no node ever moves.
 */
export const SETTLES_WITHIN_MS = 15 * 60_000

export function upgradeStateOf(now: Snapshot, past: Past): UpgradeState | undefined {
  const unsettled = past.earlier.map((then) => unsettledState(now, then)).find((state) => state !== undefined)
  return olmState(now) ?? rolloutState(now) ?? unsettled ?? settlingState(now, past.lately)
}

/** The version people mean by "what does it run": the newest CSV that has succeeded, else the one being replaced. */
export function runningVersion(snapshot: Snapshot): string | undefined {
  const versions = [...snapshot.csvs]
  const succeeded = newestOf(versions.filter(([, csv]) => csv.isSucceeded === true).map(([version]) => version))
  if (succeeded !== undefined) return succeeded
  const replaced = newestOf(versions.filter(([, csv]) => isReplaced(csv)).map(([version]) => version))
  return replaced ?? versions.map(([version]) => version).sort(compareVersions)[0]
}

function olmState({ csvs }: Snapshot): UpgradeState | undefined {
  if (csvs.size < 2) return undefined
  const to = newestOf([...csvs].filter(([, csv]) => !isReplaced(csv)).map(([version]) => version))
  if (to === undefined) return undefined
  const csv = csvs.get(to)!
  if (csv.isSucceeded === true) return undefined
  // OLM also moves backwards when a catalog does, so the old one is any other, not only an older one.
  const from = newestOf([...csvs.keys()].filter((version) => version !== to))
  const phase = csv.phase === undefined || csv.phase === '' ? 'not Succeeded' : csv.phase
  const reason = csv.reason === '' ? undefined : csv.reason
  const detail = `CSV ${to} is ${phase}${reason === undefined ? '' : `, ${reason}`}`
  return { phase: 'olm', from, to, detail, reason }
}

function rolloutState(now: Snapshot): UpgradeState | undefined {
  if (now.nodes.size < 2) return undefined
  const target = newestOf(now.nodes.keys())!
  const total = [...now.nodes.values()].reduce((sum, count) => sum + count, 0)
  const detail = `${now.nodes.get(target)!} of ${total} nodes on KubeVirt ${target}`
  return { phase: 'operands', from: undefined, to: targetOf(now), detail, reason: undefined }
}

function unsettledState(now: Snapshot, then: Snapshot | undefined): UpgradeState | undefined {
  if (then === undefined || now.health === undefined || now.health === 0) return undefined
  const change = versionChange(now, then)
  const version = [...now.nodes.keys()][0]
  if (change === undefined || version === undefined) return undefined
  const words = now.health === 1 ? 'a warning' : 'an error'
  const detail = `HCO ${change.to} reports ${words} since the upgrade, all nodes are still on KubeVirt ${version}`
  return { phase: 'operands', ...change, detail, reason: undefined }
}

function settlingState(now: Snapshot, lately: Snapshot | undefined): UpgradeState | undefined {
  const change = lately === undefined ? undefined : versionChange(now, lately)
  if (change === undefined) return undefined
  const detail = `CSV ${change.to} has succeeded, its operands may still follow`
  return { phase: 'operands', ...change, detail, reason: undefined }
}

/** From which version to which, unless nodes show that KubeVirt has followed already. */
function versionChange(now: Snapshot, then: Snapshot): { readonly from: string; readonly to: string } | undefined {
  const [from, to] = [runningVersion(then), runningVersion(now)]
  if (from === undefined || to === undefined || from === to || now.csvs.get(to)?.isSucceeded !== true) return undefined
  const hasFollowed = then.nodes.size > 0 && [...now.nodes.keys()].some((version) => !then.nodes.has(version))
  return hasFollowed ? undefined : { from, to }
}

/** HCO's version; a KubeVirt without HCO is called by its own. */
function targetOf(snapshot: Snapshot): string {
  return runningVersion(snapshot) ?? `KubeVirt ${newestOf(snapshot.nodes.keys())!}`
}

function isReplaced(csv: Csv): boolean {
  return csv.phase !== undefined && REPLACED_PHASES.has(csv.phase)
}

/** What a reason usually means, for somebody who has never seen it (facts 5.10). */
const LIKELY_CAUSES: Readonly<Record<string, string>> = {
  OperatorConditionNotUpgradeable:
    'the operator says it is not upgradeable: the upgrade before this one is unfinished, or an operand is in the way',
  RequirementsNotMet: 'a CRD, a permission or a service account it needs is missing',
  RequirementsUnknown: 'OLM has not been able to check what it needs',
  InstallCheckFailed: 'a deployment of the operator does not become ready',
  ComponentUnhealthy: 'a component of the operator is not healthy',
  InstallComponentFailed: 'a deployment or webhook could not be created: quota, image pull or certificate',
  NeedsReinstall: 'OLM has to install it again',
  UnmetDependency: 'another operator it depends on is missing',
}

/** Why an upgrade is called stuck, in one sentence. */
export function causeOf(state: UpgradeState): string {
  const likely = state.reason === undefined ? undefined : LIKELY_CAUSES[state.reason]
  return likely === undefined ? `${state.detail}.` : `${state.detail}: ${likely}.`
}
