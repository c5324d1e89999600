import { HOUR_MS, MINUTE_MS } from '../scenarios/window.ts'
import type { ClusterProfile } from '../cluster-profile.ts'
import { randomOf } from '../random.ts'
import type { CsvLife, CsvStep } from './cluster-history.ts'
import type { StepClock, UpgradeWish } from './step-clock.ts'
import { uidOf } from './uid.ts'

const MESSAGES: Readonly<Record<string, string>> = {
  RequirementsUnknown: 'requirements not yet checked',
  RequirementsNotMet: "one or more requirements couldn't be found",
  OperatorConditionNotUpgradeable: 'operator is not upgradeable: the operator is not upgradeable',
  AllRequirementsMet: 'all requirements found, attempting install',
  InstallSucceeded: 'waiting for install components to report healthy',
  InstallWaiting:
    'installing: waiting for deployment hco-operator to become ready: deployment "hco-operator" not available',
  InstallCheckFailed: 'install timeout',
  InstallComponentFailedNoRetry: 'install strategy failed: Deployment.apps "hco-operator" is invalid',
  NeedsReinstall: 'calculated deployment install is bad',
}

/** OLM does not try again after this one. */
export const FINAL_REASON = 'InstallComponentFailedNoRetry'

export interface InstallPath {
  readonly createdMs: number
  readonly csvSteps: readonly CsvStep[]
  readonly operatorPodsMs: number
  readonly csvSucceededMs: number
}

/** What OLM does with the new CSV. A loop of failing installs is at most so many steps as a CSV remembers. */
export function planInstall(clock: StepClock, wish: UpgradeWish): InstallPath {
  const steps: CsvStep[] = []
  const step = (atMs: number, phase: string, reason: string): void => {
    steps.push({ atMs, phase, reason, message: MESSAGES[reason] ?? reason })
  }
  const createdMs = clock.after(2, 10)
  const isHeld = wish.gateMs !== undefined && wish.gateMs > createdMs
  const blockedMs = clock.stopsAt('not_upgradeable')
  if (blockedMs === undefined && !isHeld) {
    step(createdMs, 'Pending', 'RequirementsNotMet')
  } else {
    step(createdMs, 'Pending', 'OperatorConditionNotUpgradeable')
  }
  if (isHeld) {
    clock.skipTo(wish.gateMs)
    if (wish.stall?.kind === 'requirements') step(wish.gateMs, 'Pending', 'RequirementsNotMet')
  }
  const readyMs = clock.after(15, 60, blockedMs === undefined ? 'requirements' : 'not_upgradeable')
  step(readyMs, 'InstallReady', 'AllRequirementsMet')
  const installingMs = clock.after(1, 10, 'olm_hangs')
  step(installingMs, 'Installing', 'InstallSucceeded')
  step(clock.after(3, 8), 'Installing', 'InstallWaiting')
  const operatorPodsMs = clock.after(15, 40)
  if (wish.fails === true) {
    step(clock.after(200, 290), 'Failed', FINAL_REASON)
    return { createdMs, csvSteps: steps, operatorPodsMs: Infinity, csvSucceededMs: Infinity }
  }
  const loopMs = clock.stopsAt('install_loop')
  if (loopMs !== undefined) installLoop(step, clock.nowMs(), loopMs)
  const csvSucceededMs = clock.after(20, 80, 'install_loop')
  step(csvSucceededMs, 'Succeeded', 'InstallSucceeded')
  return { createdMs, csvSteps: steps, operatorPodsMs, csvSucceededMs }
}

/** OLM gives up after five minutes, and begins again, for as long as it lasts. */
function installLoop(
  step: (atMs: number, phase: string, reason: string) => void,
  fromMs: number,
  lastsMs: number,
): void {
  const untilMs = fromMs + Math.min(lastsMs, 12 * HOUR_MS)
  for (let atMs = fromMs + 4 * MINUTE_MS; atMs + 10 * MINUTE_MS < untilMs; atMs += 6 * MINUTE_MS) {
    step(atMs, 'Failed', 'InstallCheckFailed')
    step(atMs + 2000, 'Pending', 'NeedsReinstall')
    step(atMs + 4000, 'InstallReady', 'AllRequirementsMet')
    step(atMs + 6000, 'Installing', 'InstallWaiting')
  }
}

/** After it was given up: the old version installed anew, under its old name. */
export function planReturn(profile: ClusterProfile, wish: UpgradeWish): CsvLife {
  const random = randomOf(profile.seed, 'history return', wish.index)
  const createdMs = wish.abortedMs + random.int(20, 120) * 1000
  return installedCsv(uidOf(profile.seed, 'csv returned', wish.index), wish.from, createdMs)
}

/** A CSV that replaces none and comes up without trouble. */
export function installedCsv(uid: string, release: CsvLife['release'], createdMs: number): CsvLife {
  const at = (second: number): number => createdMs + second * 1000
  const steps = installSteps([
    [at(0), 'Pending', 'RequirementsNotMet'],
    [at(24), 'InstallReady', 'AllRequirementsMet'],
    [at(26), 'Installing', 'InstallSucceeded'],
    [at(30), 'Installing', 'InstallWaiting'],
    [at(95), 'Succeeded', 'InstallSucceeded'],
  ])
  return { uid, release, replaces: undefined, createdMs, steps, goneMs: Infinity }
}

/** Steps with what OLM says beside each reason. */
export function installSteps(
  path: readonly (readonly [atMs: number, phase: string, reason: string])[],
): readonly CsvStep[] {
  return path.map(([atMs, phase, reason]) => ({ atMs, phase, reason, message: MESSAGES[reason] ?? reason }))
}
