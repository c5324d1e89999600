import fc from 'fast-check'
import { expect, test } from 'vitest'
import { causesOf } from '../../../src/fleet/stuck/stuck-causes.ts'
import {
  BLOCK_CAUSES,
  type BlockCause,
  type PhaseName,
  type UpgradeDetail,
  type UpgradePhase,
} from '../../../src/model/upgrade.ts'
import { phase, recordOf, T0 } from '../edge-script.ts'

const step = (phase: string, reason: string): UpgradeDetail['csvSteps'][number] => ({ phase, reason, startedMs: T0 })
const told = (cause: BlockCause) => ({ cause, text: 'told by objects', sinceMs: T0, evidence: [] })
const kubevirt = { name: 'kubevirt', state: 'succeeded' } as const
const cdi = { name: 'cdi', to: '1.64.0', state: 'in_progress', message: 'webhook refused' } as const

test.each<readonly [string, PhaseName, Partial<UpgradeDetail>, BlockCause, string]>([
  [
    'a plan nobody approves',
    'approval',
    { installPlan: 'install-x' },
    'approval_waiting',
    'install-x is pending approval',
  ],
  [
    'a missing CRD',
    'olm.pending',
    { csvSteps: [step('Pending', 'RequirementsNotMet')] },
    'requirements_not_met',
    'RequirementsNotMet',
  ],
  [
    'an old operator that says no',
    'olm.pending',
    { csvSteps: [step('Pending', 'OperatorConditionNotUpgradeable')] },
    'not_upgradeable',
    'OperatorConditionNotUpgradeable',
  ],
  [
    'installs that fail',
    'olm.installing',
    { csvSteps: [step('Failed', 'InstallCheckFailed'), step('Installing', 'InstallWaiting')] },
    'install_failing',
    'failed once',
  ],
  [
    'an install that waits for longer than OLM does',
    'olm.installing',
    { csvSteps: [step('Installing', 'InstallWaiting')] },
    'install_failing',
    'waits for its pods',
  ],
  [
    'an install that has yet to begin',
    'olm.installing',
    { csvSteps: [step('Installing', 'InstallSucceeded')] },
    'unknown',
    'No progress; no known cause',
  ],
  [
    'machines whose migrations nobody counts',
    'workloads',
    { workloads: { outdatedNow: 3, migrations: {} } },
    'unknown',
    'No progress; no known cause',
  ],
  [
    'OLM that does nothing',
    'olm.install_ready',
    { csvSteps: [step('InstallReady', 'AllRequirementsMet')] },
    'unknown',
    'No progress; no known cause',
  ],
  [
    'a canary that crashes',
    'virt_handler.canary',
    { virtHandler: { desired: 9, updated: 1, ready: 8, waves: 9 } },
    'virt_handler_rollout',
    '1 of 9 nodes',
  ],
  [
    'a node that is not ready',
    'virt_handler.waves',
    { virtHandler: { desired: 9, updated: 9, ready: 8, waves: 9 } },
    'virt_handler_rollout',
    'all 9 nodes',
  ],
  [
    'a roll-out that is through',
    'virt_handler.waves',
    { virtHandler: { desired: 9, updated: 9, ready: 9, waves: 9 } },
    'unknown',
    'No progress; no known cause',
  ],
  [
    'CDI after KubeVirt',
    'operands.cdi',
    { components: [cdi, kubevirt] },
    'operand_failing',
    'KubeVirt is updated; cdi has not reached 1.64.0. Message: webhook refused',
  ],
  [
    'CDI while KubeVirt still rolls',
    'operands.kubevirt',
    { components: [cdi, { ...kubevirt, state: 'in_progress' }] },
    'unknown',
    'No progress; no known cause',
  ],
  [
    'KubeVirt that says it updates',
    'operands.kubevirt',
    { components: [{ ...kubevirt, state: 'in_progress', message: 'UpdateInProgress' }] },
    'unknown',
    'No progress; no known cause',
  ],
  ['HCO that does not finish', 'settle', { components: [kubevirt] }, 'unknown', 'No progress; no known cause'],
  [
    'machines without a place',
    'workloads',
    {
      workloads: {
        migrations: {
          workloadUpdate: 3,
          evacuation: 0,
          other: 0,
          succeeded: 0,
          failed: 2,
          pending: 1,
          running: 0,
          pendingTimeouts: 2,
        },
      },
    },
    'migrations_pending',
    '2 migrations',
  ],
])('%s', (_, name, detail, cause, text) => {
  const [first] = causesOf(recordOf({ startMinute: 0, phases: [phase(name, 0)], detail }), name, T0)
  expect(first?.cause).toBe(cause)
  expect(first?.text).toContain(text)
  expect(first?.sinceMs).toBe(T0)
})

test('a migration that runs and never comes through is the last to be blamed', () => {
  const migrations = {
    workloadUpdate: 9,
    evacuation: 0,
    other: 0,
    succeeded: 8,
    failed: 0,
    pending: 0,
    running: 1,
    pendingTimeouts: 0,
  }
  const of = (more: Partial<typeof migrations>) => {
    const detail = { workloads: { migrations: { ...migrations, ...more } } }
    return causesOf(recordOf({ startMinute: 0, detail }), 'workloads', T0).map(({ cause }) => cause)
  }
  expect(of({})).toEqual(['migration_never_ends'])
  expect(of({ running: 0 })).toEqual(['unknown'])
  expect(of({ pendingTimeouts: 1 })).toEqual(['migrations_pending', 'migration_never_ends'])
})

test('what objects told comes first, once, and what the record shows after it', () => {
  const script = { startMinute: 0, detail: { csvSteps: [step('Failed', 'InstallCheckFailed')] } }
  const causes = (cause: BlockCause) =>
    causesOf(recordOf({ ...script, blockedBy: told(cause) }), 'olm.installing', T0).map(
      (block) => `${block.cause} ${block.text}`,
    )
  expect(causes('install_failing')).toEqual(['install_failing told by objects'])
  expect(causes('requirements_not_met')).toEqual([
    'requirements_not_met told by objects',
    'install_failing CSV 1.17.0 failed once, last: InstallCheckFailed.',
  ])
})

test('a cause that cannot stop the phase it stands in is not named', () => {
  const record = recordOf({ startMinute: 0, blockedBy: told('virt_handler_rollout') })
  expect(causesOf(record, 'settle', T0).map(({ cause }) => cause)).toEqual(['unknown'])
  expect(causesOf(record, 'virt_handler.waves', T0).map(({ cause }) => cause)).toEqual(['virt_handler_rollout'])
  expect(causesOf(record, undefined, T0).map(({ cause }) => cause)).toEqual(['virt_handler_rollout'])
})

test('evidence of the phase stands beside the cause, the newest first', () => {
  const evidence = ['olm.pending', 'olm.pending', 'settle'].map((name, i) => {
    return { source: 'objects', atMs: T0 + i, text: `${name} ${i}`, ref: 'x', phase: name as PhaseName } as const
  })
  const detail = { csvSteps: [step('Pending', 'RequirementsNotMet')] }
  const [first] = causesOf(recordOf({ startMinute: 0, evidence, detail }), 'olm.pending', T0)
  expect(first?.evidence.map(({ text }) => text)).toEqual(['olm.pending 1', 'olm.pending 0'])
})

test('there is always an answer, never two of one cause, and unknown only by itself', () => {
  const names: PhaseName[] = [
    'offered',
    'approval',
    'olm.pending',
    'operands.cdi',
    'virt_handler.waves',
    'settle',
    'workloads',
  ]
  const phases: readonly UpgradePhase[] = []
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom(...BLOCK_CAUSES), (name, cause) => {
      const causes = causesOf(recordOf({ startMinute: 0, phases, blockedBy: told(cause) }), name, T0).map(
        (one) => one.cause,
      )
      expect(new Set(causes).size).toBe(causes.length)
      expect(causes.includes('unknown') ? causes : ['unknown']).toEqual(['unknown'])
    }),
  )
})
