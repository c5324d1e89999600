import { expect, test } from 'vitest'
import { fieldChanges } from '../../../src/fleet/clusters/field-changes.ts'
import type { HyperConvergedFacts, MigrationFacts } from '../../../src/model/object-facts.ts'

const HCO: HyperConvergedFacts = {
  kind: 'hyperconvergeds',
  apiVersion: 'hco.kubevirt.io/v1',
  conditions: [{ type: 'Available', status: 'True', reason: 'r', message: '', lastTransitionMs: 1_787_220_000_000 }],
  liveMigration: { parallelMigrationsPerCluster: 5 },
  featureGates: { alignCPUs: false },
  jsonPatches: {},
  workloadUpdateMethods: ['LiveMigrate', 'Evict'],
}

test('what is the same is not told', () => {
  expect(fieldChanges(HCO, structuredClone(HCO))).toEqual([])
})

test('conditions are told by their type, wherever they stand; times without their unit', () => {
  const other = { type: 'Degraded', status: 'False', reason: '', message: '' }
  const moved = { ...HCO.conditions[0]!, status: 'False', lastTransitionMs: 1_787_220_001_000 }
  expect(fieldChanges(HCO, { ...HCO, conditions: [other, moved] })).toEqual([
    {
      field: 'conditions[Available].lastTransition',
      before: '2026-08-20T10:00:00.000Z',
      after: '2026-08-20T10:00:01.000Z',
    },
    { field: 'conditions[Available].status', before: 'True', after: 'False' },
    { field: 'conditions[Degraded].message', after: '' },
    { field: 'conditions[Degraded].reason', after: '' },
    { field: 'conditions[Degraded].status', after: 'False' },
    { field: 'conditions[Degraded].type', after: 'Degraded' },
  ])
})

test('settings are told by name, lists of texts as one', () => {
  const after = { ...HCO, featureGates: { alignCPUs: true }, liveMigration: {}, workloadUpdateMethods: ['LiveMigrate'] }
  expect(fieldChanges(HCO, after)).toEqual([
    { field: 'featureGates.alignCPUs', before: false, after: true },
    { field: 'liveMigration.parallelMigrationsPerCluster', before: 5 },
    { field: 'workloadUpdateMethods', before: 'LiveMigrate, Evict', after: 'LiveMigrate' },
  ])
})

test('a record of times is one of times', () => {
  const migration: MigrationFacts = {
    kind: 'virtualmachineinstancemigrations',
    vmi: 'vm',
    phase: 'Pending',
    cause: 'other',
    phaseTimesMs: { Pending: 1_787_220_000_000 },
    conditions: [],
  }
  const after = {
    ...migration,
    phase: 'Running',
    phaseTimesMs: { ...migration.phaseTimesMs, Running: 1_787_220_001_000 },
  }
  expect(fieldChanges(migration, after)).toEqual([
    { field: 'phase', before: 'Pending', after: 'Running' },
    { field: 'phaseTimes.Running', after: '2026-08-20T10:00:01.000Z' },
  ])
})
