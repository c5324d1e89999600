import { Type } from 'typebox'
import { BACKWARD_VERDICTS, MACHINE_TYPE_STATES, REFERENCE_KINDS } from '../model/configuration.ts'
import {
  FleetCoverage,
  listOf,
  MOMENT_PARAMS,
  orNull,
  PAGE_PARAMS,
  PAST_FIELD,
  Time,
  wordOf,
  type Shape,
} from './common.ts'
import { FLAVOURS, SettingValue } from './fleet-clusters.ts'

/**
 * The configuration of clusters, compared with a baseline cluster or with what most clusters have. A cluster that keeps the
 * default of its version does not differ from one that keeps another default in another version. Of the past with the settings of
 * that time, and the baseline that is chosen now.
 */

const FILTER_PARAMS = {
  version: Type.Optional(Type.Array(Type.String(), { description: 'Of HCO: `1.17.0`, or `1.17` for all of a minor.' })),
  channel: Type.Optional(Type.String()),
  platform: Type.Optional(
    Type.String({ description: '`openshift`, `kubernetes`, or with a version: `openshift 4.20`.' }),
  ),
  flavour: Type.Optional(wordOf(FLAVOURS)),
  region: Type.Optional(Type.String()),
  against: Type.Optional(
    wordOf(
      REFERENCE_KINDS,
      'What clusters are compared with. Default: the baseline cluster if one is chosen, else the majority.',
    ),
  ),
  format: Type.Optional(wordOf(['json', 'csv'] as const)),
  ...MOMENT_PARAMS,
} as const

export const ConfigurationQuery = Type.Object(FILTER_PARAMS)
export type ConfigurationQuery = Shape<typeof ConfigurationQuery>

/** `null`: not set, and no default is known. */
const Value = orNull(SettingValue)

export const BaselineItem = Type.Object({ cluster: Type.String(), by: Type.String(), chosenAt: Time })
export type BaselineItem = Shape<typeof BaselineItem>

const SETTING_FIELDS = {
  /** `liveMigration.progressTimeout`, `featureGates.alignCPUs`, `defaultStorageClass`, ... */
  name: Type.String(),
  /** Clusters that report it and whose version has it. */
  reporting: Type.Integer(),
  /** The most frequent first, at most twenty. `default`: the clusters keep the default of their version. */
  values: Type.Array(Type.Object({ value: Value, default: Type.Boolean(), clusters: Type.Integer() })),
  /** Clusters with another value than those listed. */
  otherClusters: Type.Integer(),
  /** What clusters are compared with; `null`: no value has a majority, or the baseline does not have the setting. */
  reference: orNull(Type.Object({ by: wordOf(REFERENCE_KINDS), value: Value, default: Type.Boolean() })),
  /** Clusters that differ from the reference. */
  outliers: Type.Integer(),
} as const

export const SettingUseItem = Type.Object(SETTING_FIELDS)
export type SettingUseItem = Shape<typeof SettingUseItem>

/** `GET /api/fleet/v1/configuration`, by name. */
export const ConfigurationAnswer = Type.Object({
  asOf: Time,
  ...PAST_FIELD,
  coverage: FleetCoverage,
  /** Clusters that match the filter. */
  clusters: Type.Integer(),
  /** Of these, clusters that report settings: the others are in no count. */
  reporting: Type.Integer(),
  /** Clusters with at least one difference. */
  differing: Type.Integer(),
  /** The chosen baseline cluster; `null`: none is chosen. */
  baseline: orNull(BaselineItem),
  /** Settings in use, of which at most a thousand are listed. */
  total: Type.Integer(),
  settings: Type.Array(SettingUseItem),
})
export type ConfigurationAnswer = Shape<typeof ConfigurationAnswer>

/** `GET /api/fleet/v1/configuration/settings/:setting`: clusters that differ first. */
export const SettingQuery = Type.Object({
  ...FILTER_PARAMS,
  outliers: Type.Optional(Type.Boolean({ description: 'Only clusters that differ.' })),
  ...PAGE_PARAMS,
})

export const SettingClusterItem = Type.Object({
  cluster: Type.String(),
  /** Of HCO. */
  version: orNull(Type.String()),
  value: Value,
  default: Type.Boolean(),
  outlier: Type.Boolean(),
  /** When it got this value; `null`: before the history of the cluster. */
  since: orNull(Time),
  /** The field manager that wrote it, such as `kubectl-edit`; `null`: not reported. */
  by: orNull(Type.String()),
})
export type SettingClusterItem = Shape<typeof SettingClusterItem>

export const SettingDetail = listOf({
  ...SETTING_FIELDS,
  baseline: orNull(BaselineItem),
  /** Clusters that match the filter, reporting or not. */
  known: Type.Integer(),
  /** Listed clusters, on all pages. */
  total: Type.Integer(),
  clusters: Type.Array(SettingClusterItem),
})
export type SettingDetail = Shape<typeof SettingDetail>

/** `GET /api/fleet/v1/configuration/clusters/:cluster`. */
export const DifferencesQuery = Type.Object({
  ...MOMENT_PARAMS,
  against: Type.Optional(
    Type.String({ description: 'Name or alias of another cluster. Default: the baseline or the majority.' }),
  ),
})

export const DifferenceItem = Type.Object({
  name: Type.String(),
  value: Value,
  default: Type.Boolean(),
  /** Of the reference. */
  expected: Value,
  expectedDefault: Type.Boolean(),
  since: orNull(Time),
  by: orNull(Type.String()),
})
export type DifferenceItem = Shape<typeof DifferenceItem>

export const DifferencesAnswer = Type.Object({
  asOf: Time,
  ...PAST_FIELD,
  cluster: Type.String(),
  against: wordOf([...REFERENCE_KINDS, 'cluster'] as const),
  /** The cluster that it is compared with; `null`: the majority. */
  reference: orNull(Type.String()),
  /** Settings that could be compared; 0: the cluster, or the other one, reports none. */
  compared: Type.Integer(),
  /** By name. */
  differences: Type.Array(DifferenceItem),
})
export type DifferencesAnswer = Shape<typeof DifferencesAnswer>

/** `PUT /api/fleet/v1/configuration/baseline` (role responder); `DELETE` removes the choice. */
export const BaselineRequest = Type.Object({
  cluster: Type.String({ minLength: 1, description: 'Name or alias.' }),
  by: Type.Optional(Type.String({ description: 'The author; used only when the server requires no token.' })),
})
export const BaselineAnswer = Type.Object({ asOf: Time, baseline: orNull(BaselineItem) })
export type BaselineAnswer = Shape<typeof BaselineAnswer>

/** `GET /api/fleet/v1/kvm-stack`, `GET /api/fleet/v1/deprecated-apis`. */
export const TargetQuery = Type.Object({
  target: Type.Optional(Type.String({ description: 'A version of HCO, `1.18.1` or `4.22.1`: what changes with it.' })),
  ...MOMENT_PARAMS,
})

/** The first twenty by name, and how many there are. */
const Clusters = Type.Object({ count: Type.Integer(), names: Type.Array(Type.String()) })

const StackItem = Type.Object({
  /** A minor of KubeVirt: `1.5`. */
  kubevirt: Type.String(),
  /** `null`: no public source was found. */
  libvirt: orNull(Type.String()),
  qemu: orNull(Type.String()),
  /** The Enterprise Linux of virt-launcher: `el9`. */
  base: orNull(Type.String()),
  sources: Type.Array(Type.String()),
})
export type StackItem = Shape<typeof StackItem>

export const MachineTypeUseItem = Type.Object({
  machineType: Type.String(),
  vms: Type.Integer(),
  clusters: Clusters,
  /** Clusters on which a node reports it as deprecated. */
  deprecatedOn: Type.Integer(),
  /** In the newest version that these clusters run; with a target: in the target. */
  state: wordOf(MACHINE_TYPE_STATES),
  /** The Enterprise Linux without it; `null`: none is known. */
  removedIn: orNull(Type.String()),
  sources: Type.Array(Type.String()),
})
export type MachineTypeUseItem = Shape<typeof MachineTypeUseItem>

export const MigrationItem = Type.Object({
  /** Minors of KubeVirt. */
  from: Type.String(),
  to: Type.String(),
  clusters: Clusters,
  qemuFrom: orNull(Type.String()),
  qemuTo: orNull(Type.String()),
  /** Whether VMs can migrate back to a node with the older launcher. */
  backward: wordOf(BACKWARD_VERDICTS),
  /** More than one minor: KubeVirt does not support the step. */
  skipsMinors: Type.Boolean(),
  /** Reported failures of migrations between these versions. */
  known: Type.Array(Type.Object({ text: Type.String(), source: Type.String() })),
})
export type MigrationItem = Shape<typeof MigrationItem>

export const KvmStackAnswer = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  /** The newest first; clusters that report no version of KubeVirt are in none. */
  stacks: Type.Array(Type.Object({ ...StackItem.properties, clusters: Clusters })),
  /** Clusters that report machine types. */
  reporting: Type.Integer(),
  machineTypes: Type.Array(MachineTypeUseItem),
  /** The KubeVirt of the target; `null`: no target, or it is not known. */
  target: orNull(StackItem),
  /** From each minor in use to the target. */
  migrations: Type.Array(MigrationItem),
})
export type KvmStackAnswer = Shape<typeof KvmStackAnswer>

export const DeprecatedApiItem = Type.Object({
  group: Type.String(),
  version: Type.String(),
  resource: Type.String(),
  /** `kubernetes`: the first release without it. `hco`: the last version of HCO that serves it. Empty: none is announced. */
  removals: Type.Array(
    Type.Object({ by: wordOf(['kubernetes', 'hco'] as const), release: Type.String(), source: orNull(Type.String()) }),
  ),
  clusters: Clusters,
  /** User agents, most clusters first; empty: no cluster reports its clients. */
  clients: Type.Array(Type.Object({ client: Type.String(), clusters: Clusters })),
  /** Clusters on which the requests fail after the move to the target. */
  breaksOn: Clusters,
})
export type DeprecatedApiItem = Shape<typeof DeprecatedApiItem>

export const DeprecatedApisAnswer = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  /** Clusters that report clients of APIs. */
  withClients: Type.Integer(),
  /** Of which at most 500 are listed. */
  total: Type.Integer(),
  apis: Type.Array(DeprecatedApiItem),
})
export type DeprecatedApisAnswer = Shape<typeof DeprecatedApisAnswer>

/** `GET /api/fleet/v1/configuration/baseline/replay`: another baseline over a past time, compared with the present one. */
export const BaselineReplayQuery = Type.Object({
  baseline: Type.String({ minLength: 1, description: 'Name or alias of the proposed baseline cluster.' }),
  from: Type.String({ format: 'date-time' }),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Default: now.' })),
  version: FILTER_PARAMS.version,
  region: FILTER_PARAMS.region,
})

const ReplayedTime = Type.Object({
  from: Time,
  until: Time,
  /** Settings that differ from the proposed baseline, and from the present one. */
  proposed: Type.Array(Type.String()),
  present: Type.Array(Type.String()),
})

const ReplaySide = Type.Object({ clusters: Type.Integer(), seconds: Type.Number() })

export const BaselineReplayAnswer = Type.Object({
  asOf: Time,
  from: Time,
  to: Time,
  proposed: Type.String(),
  /** The baseline that is chosen now; `null`: none. */
  present: orNull(Type.String()),
  /** Clusters that match the filter, of which at most 1000 are replayed. */
  total: Type.Integer(),
  /** Of these, clusters that reported settings in that time. */
  compared: Type.Integer(),
  /** Clusters and the time in which they differed from one of the two baselines alone, and from both. */
  onlyProposed: ReplaySide,
  onlyPresent: ReplaySide,
  both: ReplaySide,
  /** With a difference; those that differ for longest from the proposed one alone first, at most 200. */
  clusters: Type.Array(
    Type.Object({ cluster: Type.String(), comparedSeconds: Type.Number(), times: Type.Array(ReplayedTime) }),
  ),
})
export type BaselineReplayAnswer = Shape<typeof BaselineReplayAnswer>
