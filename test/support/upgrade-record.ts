import type { PhaseName, UpgradePhase, UpgradeRecord } from '../../src/model/upgrade.ts'

/** The upgrade that the stored bodies tell: 1.16.0 to 1.17.0, from its CSV to its last virtual machine. */

export const T0_MS = Date.UTC(2026, 7, 20, 10)
export const CLUSTER_UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
export const CLUSTER = { cluster: CLUSTER_UID, aliases: ['2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d', 'lab-east-1'] }

const at = (seconds: number): number => T0_MS + seconds * 1000

export function phase(name: PhaseName, from?: number, to?: number): UpgradePhase {
  return {
    name,
    ...(from !== undefined && { startedMs: at(from) }),
    ...(to !== undefined && { endedMs: at(to) }),
    state: from === undefined ? 'pending' : to === undefined ? 'in_progress' : 'succeeded',
    resolutionSeconds: 1,
    isReconstructed: false,
  }
}

export const UPGRADE: UpgradeRecord = {
  upgrade: {
    id: 'a1b2c3',
    cluster: CLUSTER_UID,
    operator: 'kubevirt-hyperconverged',
    from: '1.16.0',
    to: '1.17.0',
    state: 'succeeded',
    startedMs: at(0),
    endedMs: at(840),
    phases: [
      phase('olm', 0, 95),
      phase('olm.pending', 0, 20),
      phase('olm.install_ready', 20, 21),
      phase('olm.installing', 21, 95),
      phase('operands', 95, 840),
      phase('workloads', 840, 1500),
    ],
    evidence: [{ source: 'objects', atMs: at(0), text: 'the CSV is there', ref: 'clusterserviceversions/x/y' }],
    resolutionSeconds: 1,
  },
  detail: {
    csvName: 'kubevirt-hyperconverged-operator.v1.17.0',
    csvUid: '11111111-2222-4333-8444-555555555555',
    namespace: 'kubevirt-hyperconverged',
    csvSteps: [
      { phase: 'Pending', reason: 'RequirementsUnknown', startedMs: at(0), endedMs: at(1) },
      { phase: 'Pending', reason: 'RequirementsNotMet', startedMs: at(1), endedMs: at(20) },
      { phase: 'InstallReady', reason: 'AllRequirementsMet', startedMs: at(20), endedMs: at(21) },
      { phase: 'Installing', reason: 'InstallSucceeded', startedMs: at(21), endedMs: at(95) },
      { phase: 'Succeeded', reason: 'InstallSucceeded', startedMs: at(95) },
    ],
    components: [
      {
        name: 'kubevirt',
        from: 'v1.6.0',
        to: 'v1.7.0',
        startedMs: at(110),
        endedMs: at(700),
        state: 'failed',
        message: 'virt-handler rollout exceeded 5m',
      },
      { name: 'cdi', startedMs: at(110), endedMs: at(300), state: 'succeeded' },
    ],
    hco: { startedMs: at(95), endedMs: at(840) },
    workloads: {
      outdatedAtStart: 41,
      outdatedNow: 0,
      startedMs: at(840),
      endedMs: at(1500),
      migrations: {
        workloadUpdate: 41,
        evacuation: 0,
        other: 0,
        succeeded: 41,
        failed: 0,
        pending: 0,
        running: 0,
        pendingTimeouts: 0,
      },
    },
    observedUntilMs: at(1600),
    conditionChanges: [{ atMs: at(500), component: 'kubevirt', type: 'Degraded', status: 'True', reason: '' }],
    featureGateChanges: [],
  },
}

/** The same upgrade as it was known at a moment: nothing later is in it. */
export function asKnownAt(seconds: number): UpgradeRecord {
  const nowMs = at(seconds)
  const until = <T extends { readonly startedMs?: number; readonly endedMs?: number }>(part: T): T[] => {
    if (part.startedMs === undefined || part.startedMs > nowMs) return []
    const { endedMs, ...open } = part
    return [endedMs !== undefined && endedMs <= nowMs ? part : (open as T)]
  }
  const { upgrade, detail } = UPGRADE
  const { endedMs, ...open } = upgrade
  const { hco, workloads, ...rest } = detail
  const isOver = endedMs! <= nowMs
  return {
    upgrade: {
      ...open,
      ...(isOver ? { endedMs: endedMs! } : { state: 'in_progress' as const }),
      phases: upgrade.phases.flatMap(until),
    },
    detail: {
      ...rest,
      csvSteps: detail.csvSteps.flatMap(until),
      components: detail.components.flatMap(until),
      ...until(hco!).map((known) => ({ hco: known }))[0],
      ...until(workloads!).map((known) => ({ workloads: known }))[0],
      observedUntilMs: nowMs,
      conditionChanges: detail.conditionChanges.filter(({ atMs }) => atMs <= nowMs),
    },
  }
}

/** All that an upgrade has when HTTP tells it, in this order. */
export const UPGRADE_FIELDS = [
  'id',
  'cluster',
  'operator',
  'from',
  'to',
  'channel',
  'approval',
  'state',
  'startedAt',
  'endedAt',
  'nodes',
  'phases',
  'blockedBy',
  'evidence',
  'resolutionSeconds',
] as const

/** An upgrade from 1.16.0 to 1.17.0 that got there, without phases or evidence, and with what is given. */
export function upgradeRecord(
  known: Partial<UpgradeRecord['upgrade']> & { readonly id: string; readonly cluster: string },
  detail: Partial<UpgradeRecord['detail']> & { readonly observedUntilMs: number },
): UpgradeRecord {
  return {
    upgrade: {
      operator: 'kubevirt-hyperconverged',
      from: '1.16.0',
      to: '1.17.0',
      state: 'succeeded',
      phases: [],
      evidence: [],
      resolutionSeconds: 1,
      ...known,
    },
    detail: { csvSteps: [], components: [], conditionChanges: [], featureGateChanges: [], ...detail },
  }
}
