import type { ClusterPlanItem, PlanAnswer, PlanRequest, PlanStepItem } from '../../../src/contract/fleet-plans.ts'
import type { StepKind } from '../../../src/model/plan.ts'
import { fleetCoverage, timeOf } from './coverage-fixtures.ts'

/** A plan of twelve clusters from OpenShift 4.16 to 4.18, as the API answers it; one has a blocking hazard. */

const HOUR_MS = 3_600_000

function step(
  kind: StepKind,
  title: string,
  p50Seconds: number | null,
  more: Partial<PlanStepItem> = {},
): PlanStepItem {
  return {
    ...{ kind, title, state: 'todo', from: null, to: null },
    precondition: 'HyperConverged reports Upgradeable=True and Progressing=False.',
    commands: [`oc patch machineconfigpool worker --type merge --patch '{"spec":{"paused":true}}'`],
    check: { command: 'oc get clusterversion version', expected: 'VERSION 4.17.9, AVAILABLE True, PROGRESSING False' },
    onFailure: 'A downgrade is not supported. The update continues when the ClusterOperator is repaired.',
    window:
      p50Seconds === null
        ? {
            source: 'none',
            p50Seconds,
            p90Seconds: null,
            runs: 0,
            censored: 0,
            learnedFrom: null,
            basis: 'Commands: not counted.',
          }
        : {
            ...{ source: 'upgrades', p50Seconds, p90Seconds: p50Seconds * 1.6, runs: 34, censored: 1 },
            ...{ learnedFrom: 'minor', basis: '34 upgrades from 4.16 to 4.17 on clusters of 4 to 10 nodes.' },
          },
    ...more,
  }
}

function planOf(index: number): ClusterPlanItem {
  const cluster = `prague-${index + 1}`
  return {
    ...{ cluster, outcome: 'path', installed: '4.16.0', platform: '4.16.3', nodes: 9, vms: 40 },
    summary: 'OpenShift 4.16.3 → 4.17.9 → 4.18.6; HCO 4.16.0 → 4.16.4 → 4.17.5 → 4.18.2.',
    blockers:
      index === 2
        ? [
            {
              ...{ name: 'non_evictable_vms', severity: 'blocking', command: null },
              text: '3 VMs cannot be live migrated: with the eviction strategy LiveMigrate each of them blocks the drain of its node.',
              fix: 'Shut the VMs down, set LiveMigrateIfPossible or None, or give them storage with ReadWriteMany.',
            },
          ]
        : [],
    steps: [
      step('pause_pools', 'Pause the worker pools worker', null),
      step('disable_workload_updates', 'Save the workload update methods and set them to []', null),
      step('upgrade_hco', 'Upgrade OpenShift Virtualization 4.16.0 to 4.16.4', 720),
      step('upgrade_openshift', 'Upgrade OpenShift 4.16.3 to 4.17.9', 3600),
      step('upgrade_hco', 'Upgrade OpenShift Virtualization 4.16.4 to 4.17.5', 780),
      step('upgrade_openshift', 'Upgrade OpenShift 4.17.9 to 4.18.6', 3500),
      step('upgrade_hco', 'Upgrade OpenShift Virtualization 4.17.5 to 4.18.2', 800),
      step('restore_workload_updates', 'Restore the workload update methods: ["LiveMigrate"]', null),
      step('unpause_pools', 'Unpause the worker pools worker', 4200),
      step('update_vms', 'Wait until 40 VMs run the new virt-launcher', 640),
    ],
    total: { p50Seconds: 14_600, p90Seconds: 18_900, unknownSteps: 0 },
  }
}

export function planAnswer(request: PlanRequest, nowMs: number): PlanAnswer {
  const { target, clustersAtOnce = 5, windows = [], timeZone = 'UTC' } = request
  const clusters = Array.from({ length: 12 }, (_, i) => planOf(i))
  const startMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  const waves = Array.from({ length: Math.ceil(12 / clustersAtOnce) }, (_, i) => ({
    clusters: clusters.slice(i * clustersAtOnce, (i + 1) * clustersAtOnce).map(({ cluster }) => cluster),
    startP50At: timeOf(startMs + i * 5 * HOUR_MS),
    startP90At: timeOf(startMs + i * 6 * HOUR_MS),
    endP50At: timeOf(startMs + (i + 1) * 5 * HOUR_MS),
    endP90At: timeOf(startMs + (i + 1) * 6 * HOUR_MS),
  }))
  const last = waves.at(-1)!
  return {
    ...{ asOf: timeOf(nowMs), coverage: fleetCoverage(nowMs), target, selected: 12, blocked: 1, clusters },
    outcomes: { path: 12, finish: 0, at_target: 0, target_older: 0, no_path: 0, unknown: 0 },
    schedule: {
      ...{ startAt: timeOf(startMs), clustersAtOnce, windows, timeZone, waves, draws: 1000 },
      ...{ endP50At: last.endP50At, endP90At: last.endP90At, unknownSteps: 0, overlongSteps: 0 },
    },
    export:
      request.export === undefined
        ? null
        : { fileName: `upgrade-to-${target}.md`, mediaType: 'text/markdown', text: `# Upgrade to ${target}\n` },
  }
}
