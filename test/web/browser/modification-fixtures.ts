import type { ModificationItem } from '../../../src/contract/fleet-modifications.ts'

/** Edits and patches of a made-up fleet. */

const MINUTE_MS = 60_000

export function modifications(nowMs: number): readonly ModificationItem[] {
  const at = (minutes: number): string => new Date(nowMs - minutes * MINUTE_MS).toISOString()
  const patch = (
    id: string,
    cluster: string,
    operations: ModificationItem['operations'],
    more: Partial<ModificationItem> = {},
  ): ModificationItem => ({
    id,
    cluster,
    kind: 'jsonpatch',
    component: 'kubevirt',
    startedAt: at(300),
    endedAt: null,
    count: operations?.length ?? 1,
    operations,
    annotation: 'kubevirt.kubevirt.io/jsonpatch',
    text: 'the annotation kubevirt.kubevirt.io/jsonpatch patches kubevirt',
    upgradeMode: false,
    resolutionSeconds: 1,
    ...more,
  })
  const edit = (id: string, cluster: string, component: string, minutes: number, count: number): ModificationItem => ({
    ...patch(id, cluster, null),
    kind: 'out_of_band',
    component,
    startedAt: at(minutes),
    endedAt: at(minutes - 1),
    count,
    annotation: null,
    text: `${component} was modified out of band and reverted`,
  })
  const gate = [{ op: 'add', path: '/spec/configuration/developerConfiguration/featureGates/-', value: 'CPUManager' }]
  return [
    edit('m-1', 'ams-stuck-1', 'kubevirt', 12, 4),
    edit('m-2', 'ams-stuck-1', 'kubevirt', 600, 1),
    edit('m-3', 'prod-0003', 'cdi', 45, 2),
    patch('m-4', 'ams-stuck-1', gate),
    patch('m-5', 'prod-0004', gate, { endedAt: at(5) }),
    patch('m-6', 'prod-0005', [
      { op: 'replace', path: '/spec/customizeComponents/patches/0/patch', value: '{}' },
      { op: 'test', path: '/spec/x', value: 1 },
    ]),
    patch('m-7', 'prod-0006', null, { text: 'the annotation is no valid patch: it is no array', component: 'cdi' }),
  ]
}
