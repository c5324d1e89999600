import type {
  PatchDetailItem,
  PatchFindingItem,
  PatchGroupItem,
  PatchItems,
} from '../../../src/contract/fleet-patches.ts'
import { PATCH_CLASSES } from '../../../src/model/patch-analysis.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** JSON patches of a made-up fleet: one that breaks, one that HyperConverged supersedes, one that cannot be read. */

const about = { at: 'both', operation: 0, gate: null, proposal: null, source: null } as const

const GONE: PatchFindingItem = {
  ...about,
  ...{ class: 'gate', weight: 'breaks', at: 'target' },
  text: 'The feature gate PasstIPStackMigration is alpha in KubeVirt 1.8.4 and discontinued in 1.9.0: it has no effect there.',
  gate: { name: 'PasstIPStackMigration', installed: 'alpha', target: 'discontinued' },
  source: 'https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-config/featuregate/inactive.go',
}

const YAML = 'spec:\n  liveMigrationConfig:\n    allowPostCopy: true\n'
const PROPOSAL = { apiVersion: 'hco.kubevirt.io/v1beta1', from: 'installed', yaml: YAML } as const
const SUPERSEDED: PatchFindingItem = {
  ...about,
  ...{
    class: 'superseded',
    weight: 'note',
    text: 'HyperConverged has spec.liveMigrationConfig.allowPostCopy: set it instead.',
  },
  proposal: PROPOSAL,
}

const BAD: PatchFindingItem = {
  ...about,
  ...{ class: 'broken', weight: 'breaks', operation: null },
  text: 'The annotation is no JSON patch: HCO refuses it and does not reconcile the operand.',
}

const group = (more: Partial<PatchGroupItem>): PatchGroupItem => ({
  ...{ key: '0', component: 'kubevirt', annotation: 'kubevirt.kubevirt.io/jsonpatch', operations: [] },
  ...{ text: 'as written', clusters: 1, breaking: 0, classes: [], finding: null },
  ...more,
})

const GATES = '/spec/configuration/developerConfiguration/featureGates/-'
const POST_COPY = '/spec/configuration/migrations/allowPostCopy'

const GROUPS: readonly PatchGroupItem[] = [
  group({
    ...{ key: 'passt', clusters: 3, breaking: 2, classes: ['gate'], finding: GONE },
    operations: [{ op: 'add', path: GATES, value: 'PasstIPStackMigration' }],
  }),
  group({
    ...{ key: 'text', component: 'cdi', annotation: 'containerizeddataimporter.kubevirt.io/jsonpatch' },
    ...{
      operations: null,
      text: 'the annotation is no valid patch: it is no array',
      classes: ['broken'],
      finding: BAD,
    },
  }),
  group({
    ...{ key: 'copy', clusters: 2, classes: ['superseded'], finding: SUPERSEDED },
    operations: [{ op: 'replace', path: POST_COPY, value: true }],
  }),
]

const head = (nowMs: number) => ({
  asOf: new Date(nowMs).toISOString(),
  coverage: fleetCoverage(nowMs),
  nextCursor: null,
})

export function patchItems(search: URLSearchParams, nowMs: number): PatchItems {
  const [kind, component, cluster] = ['class', 'component', 'cluster'].map((name) => search.get(name))
  const fitting = GROUPS.filter(
    ({ classes, component: own, breaking }) =>
      (kind === null || (kind === 'none' ? classes.length === 0 : classes.some((one) => one === kind))) &&
      (component === null || component === own) &&
      (cluster === null || cluster === 'ams-stuck-1') &&
      (search.get('breaking') !== 'true' || breaking > 0),
  )
  return {
    ...head(nowMs),
    to: search.get('to'),
    targets: ['1.20.0', '1.19.0', '1.18.1'].map((version) => ({ version, released: version !== '1.20.0' })),
    counts: [...PATCH_CLASSES, null].map((one) => {
      const own = GROUPS.filter(({ classes }) => (one === null ? classes.length === 0 : classes.includes(one)))
      return { class: one, patches: own.length, clusters: own.reduce((sum, { clusters }) => sum + clusters, 0) }
    }),
    total: fitting.length,
    patches: [...fitting],
  }
}

export function patchDetail(key: string, nowMs: number): PatchDetailItem | undefined {
  const found = GROUPS.find((one) => one.key === key)
  if (found === undefined) return undefined
  const { finding, ...fields } = found
  const differences: Readonly<Record<string, PatchDetailItem['differences']>> = {
    passt: [{ path: GATES.replace('-', '9'), without: null, with: '"PasstIPStackMigration"' }],
    copy: [{ path: POST_COPY, without: 'false', with: 'true' }],
  }
  const versions = { installed: '1.18.1', target: '1.19.0', apiVersion: 'hco.kubevirt.io/v1beta1' }
  return {
    ...head(nowMs),
    ...fields,
    variants: [{ ...versions, clusters: found.clusters, findings: finding === null ? [] : [finding] }],
    proposal: finding?.proposal ?? null,
    differences: differences[key] ?? [],
    differencesOf: { basis: 'defaults', version: '1.18.1' },
    members: Array.from({ length: found.clusters }, (_, i) => ({
      ...{ cluster: i === 0 ? 'ams-stuck-1' : `prod-000${i}`, version: '1.18.1', target: '1.19.0' },
      ...{
        since: i === 0 ? null : new Date(nowMs - i * 3_600_000).toISOString(),
        by: i === 0 ? 'argocd-controller' : null,
      },
      ...{ classes: found.classes, breaking: i < found.breaking },
    })),
  }
}
