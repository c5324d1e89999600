import { Type } from 'typebox'
import { CLUSTER_PROBLEMS, CLUSTER_STATES } from '../model/cluster-record.ts'
import { SILENCE_CAUSES, SILENT_SOURCES } from '../model/cluster-silence.ts'
import { DecommissionItem, GoneItem } from './decommissions.ts'
import {
  listOf,
  MOMENT_PARAMS,
  OrderParam,
  orNull,
  PAGE_PARAMS,
  PAST_FIELD,
  Time,
  wordOf,
  type Shape,
} from './common.ts'
import { ModificationItem } from './fleet-modifications.ts'
import { ClusterReadinessItem } from './readiness.ts'
import { EvidenceItem, StuckItem, UpgradeItem } from './fleet-upgrades.ts'

/** Clusters: versions, settings and states. */

const PLATFORMS = ['openshift', 'kubernetes'] as const
export const FLAVOURS = ['community', 'openshift'] as const

const PlatformItem = Type.Object({
  kind: wordOf(PLATFORMS),
  version: orNull(Type.String()),
  /** The target of a running update, when it differs. */
  target: orNull(Type.String()),
})

const OpenUpgrade = Type.Object({
  id: Type.String(),
  operator: Type.String(),
  from: orNull(Type.String()),
  to: Type.String(),
  /** The current phase. */
  phase: orNull(Type.String()),
  startedAt: orNull(Time),
  stuck: Type.Boolean(),
})

/** Data sources of the cluster, with the last report of each. */
export const CoverageItem = Type.Object({
  objects: Type.Boolean(),
  metrics: Type.Boolean(),
  spans: Type.Boolean(),
  objectsLastAt: orNull(Time),
  metricsLastAt: orNull(Time),
  kinds: Type.Array(Type.String()),
})

const SilenceShareItem = { silent: Type.Integer(), of: Type.Integer() } as const

/** Why a cluster, or one of its data sources, sends nothing. */
export const ClusterSilenceItem = Type.Object({
  /** The sources that stopped. */
  sources: Type.Array(wordOf(SILENT_SOURCES)),
  /** No source sends; else the other one does. */
  total: Type.Boolean(),
  /** The last report of the source that stopped last. */
  since: Time,
  /** `unknown`: no evidence decides; see `missing`. */
  cause: wordOf(SILENCE_CAUSES),
  evidence: Type.Array(
    Type.Object({
      cause: wordOf(SILENCE_CAUSES),
      text: Type.String(),
      at: orNull(Time),
      /** Silent clusters, of those that could be; and elsewhere. */
      share: orNull(Type.Object({ ...SilenceShareItem, elsewhere: Type.Object(SilenceShareItem) })),
    }),
  ),
  /** What would decide; of a known cause what may still change it. */
  missing: Type.Array(Type.String()),
  nextStep: Type.String(),
})
export type ClusterSilenceItem = Shape<typeof ClusterSilenceItem>

const CLUSTER_FIELDS = {
  cluster: Type.String(),
  aliases: Type.Array(Type.String()),
  states: Type.Array(wordOf(CLUSTER_STATES)),
  /** Since when and why it is gone; `null`: it is not gone. */
  gone: orNull(GoneItem),
  /** `null`: all of its data sources send. */
  silence: orNull(ClusterSilenceItem),
  flavour: orNull(wordOf(FLAVOURS)),
  platform: orNull(PlatformItem),
  /** The completed version of HCO. */
  version: orNull(Type.String()),
  /** Versions of KubeVirt and the other operands, by name. */
  versions: Type.Record(Type.String(), Type.String()),
  channel: orNull(Type.String()),
  approval: orNull(Type.String()),
  systemHealth: orNull(Type.String()),
  tainted: orNull(Type.Boolean()),
  /** Virtual machines with an outdated launcher. */
  outdatedWorkloads: orNull(Type.Integer()),
  openUpgrades: Type.Array(OpenUpgrade),
  region: orNull(Type.String()),
  provider: orNull(Type.String()),
  environment: orNull(Type.String()),
  firstSeenAt: Time,
  /** For a past moment: that moment, if a report came then or later. The same holds for the times in `coverage`. */
  lastSeenAt: Time,
  coverage: CoverageItem,
} as const

export const ClusterItem = Type.Object(CLUSTER_FIELDS)
export type ClusterItem = Shape<typeof ClusterItem>

export const CLUSTER_SORTS = ['cluster', 'version', 'last_seen', 'outdated_workloads'] as const

/** `GET /api/fleet/v1/clusters`. */
export const ClustersQuery = Type.Object({
  version: Type.Optional(Type.Array(Type.String(), { description: 'Of HCO: `1.17.0`, or `1.17` for all of a minor.' })),
  channel: Type.Optional(Type.String()),
  platform: Type.Optional(
    Type.String({ description: '`openshift`, `kubernetes`, or with a version: `openshift 4.20`.' }),
  ),
  flavour: Type.Optional(wordOf(FLAVOURS)),
  region: Type.Optional(Type.String()),
  state: Type.Optional(
    Type.Array(wordOf(CLUSTER_STATES), {
      description:
        'Any of these states; repeat the parameter for several. Default: all except `gone` (decommissioned).',
    }),
  ),
  silence: Type.Optional(
    Type.Array(wordOf(SILENCE_CAUSES), {
      description:
        'Clusters that are silent, or have a silent data source, for one of these causes; also decommissioned ones, unless `state` is set.',
    }),
  ),
  ...MOMENT_PARAMS,
  text: Type.Optional(Type.String({ description: 'Part of the name or an alias.' })),
  sort: Type.Optional(wordOf(CLUSTER_SORTS, 'Sort key; default: `cluster`.')),
  facets: Type.Optional(Type.Boolean({ description: 'Whether to include counts per filter value.' })),
  order: OrderParam,
  ...PAGE_PARAMS,
})
export type ClustersQuery = Shape<typeof ClustersQuery>

const FacetValues = Type.Array(Type.Object({ value: orNull(Type.String()), count: Type.Integer() }))

/**
 * The facet values of the list, each with the number of clusters that match the filter without this facet. An unknown
 * value is `null`.
 */
export const ClusterFacets = Type.Object({
  states: FacetValues,
  versions: FacetValues,
  channels: FacetValues,
  platforms: FacetValues,
  flavours: FacetValues,
  regions: FacetValues,
})
export type ClusterFacets = Shape<typeof ClusterFacets>

export const ClusterItems = listOf({
  /** The number of matching clusters, on all pages. */
  total: Type.Integer(),
  clusters: Type.Array(ClusterItem),
  /** When requested. */
  facets: orNull(ClusterFacets),
})
export type ClusterItems = Shape<typeof ClusterItems>

export const SettingValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())])

/** A setting: its value in HyperConverged (`null`: not set), and its default if known. */
export const SettingItem = Type.Object({
  name: Type.String(),
  set: orNull(SettingValue),
  default: orNull(SettingValue),
})
export type SettingItem = Shape<typeof SettingItem>

/** `GET /api/fleet/v1/clusters/{cluster}`. */
export const ClusterQuery = Type.Object({
  ...MOMENT_PARAMS,
  to: Type.Optional(Type.String({ description: 'The target of `readiness`; default: the next minor of HCO.' })),
})

/** `GET /api/fleet/v1/clusters/{cluster}`, by its name or an alias. */
export const ClusterDetail = Type.Object({
  asOf: Time,
  ...PAST_FIELD,
  ...CLUSTER_FIELDS,
  subscription: orNull(
    Type.Object({
      package: Type.String(),
      channel: Type.String(),
      approval: Type.String(),
      source: Type.String(),
      state: Type.String(),
      installedCsv: orNull(Type.String()),
      currentCsv: orNull(Type.String()),
    }),
  ),
  conditions: Type.Array(
    Type.Object({
      type: Type.String(),
      status: Type.String(),
      reason: Type.String(),
      message: Type.String(),
      lastTransitionAt: orNull(Time),
    }),
  ),
  /** What is wrong with the operator or its next upgrade, whether or not an upgrade is open. */
  problems: Type.Array(
    Type.Object({
      cause: wordOf(CLUSTER_PROBLEMS),
      text: Type.String(),
      since: Time,
      evidence: Type.Array(EvidenceItem),
    }),
  ),
  upgradeable: orNull(Type.Object({ status: Type.String(), reason: Type.String(), message: Type.String() })),
  hyperConvergedApi: orNull(Type.String()),
  settings: Type.Array(SettingItem),
  featureGates: Type.Record(Type.String(), Type.Boolean()),
  nodes: orNull(
    Type.Object({ count: Type.Integer(), ready: Type.Integer(), kubeletVersions: Type.Array(Type.String()) }),
  ),
  pools: Type.Array(
    Type.Object({
      name: Type.String(),
      paused: Type.Boolean(),
      machines: Type.Integer(),
      updated: Type.Integer(),
      degraded: Type.Integer(),
    }),
  ),
  goldenImages: orNull(Type.Object({ crons: Type.Integer(), outdated: Type.Integer() })),
  descheduler: orNull(Type.Object({ profiles: Type.Array(Type.String()), misconfigured: orNull(Type.Boolean()) })),
  instanceTypes: Type.Record(Type.String(), Type.Integer()),
  preferences: Type.Record(Type.String(), Type.Integer()),
  deprecatedApis: Type.Record(Type.String(), Type.Integer()),
  /** By operator, then by start. */
  intervals: Type.Array(
    Type.Object({
      operator: Type.String(),
      version: Type.String(),
      from: Time,
      /** False: it already ran when the cluster was first seen. */
      startKnown: Type.Boolean(),
      until: orNull(Time),
      resolutionSeconds: Type.Number(),
    }),
  ),
  /** Upgrades that run, or whose workload update is unfinished. */
  open: Type.Array(Type.Object({ upgrade: UpgradeItem, verdict: orNull(StuckItem) })),
  upgradeCount: Type.Integer(),
  /** Newest first. */
  modifications: Type.Array(ModificationItem),
  /** For an upgrade to the next minor of HCO, or to `to`; `null`: no version of HCO is reported, or the cluster is gone. */
  readiness: orNull(ClusterReadinessItem),
  /** Decommissioning declarations, newest first. */
  decommissions: Type.Array(DecommissionItem),
})
export type ClusterDetail = Shape<typeof ClusterDetail>
