import { Type } from 'typebox'
import { GRAPH_OPERATORS, IMPORT_KINDS } from '../model/graph-import.ts'
import { ROLLOUT_DECISIONS } from '../model/rollout-verdict.ts'
import { STRANDING_REASONS } from '../model/stranded.ts'
import { EDGE_VIAS } from '../model/update-graph.ts'
import { FleetCoverage, MOMENT_PARAMS, orNull, PAST_FIELD, Time, wordOf, type Shape } from './common.ts'

/** The update graph: which version is offered from which one, with the clusters on each. */

const OperatorParam = wordOf(GRAPH_OPERATORS, 'Default: `kubevirt-hyperconverged`.')

/** `GET /api/fleet/v1/update-graph`. */
export const UpdateGraphQuery = Type.Object({
  operator: Type.Optional(OperatorParam),
  channel: Type.Optional(Type.String({ description: 'Only what this channel offers.' })),
  to: Type.Optional(Type.String({ description: 'The version to which `path` leads.' })),
  from: Type.Optional(Type.String({ description: 'Where `path` starts; default: the version of `cluster`.' })),
  cluster: Type.Optional(
    Type.String({ description: 'The cluster, by name or alias, whose version, channel and risks `path` regards.' }),
  ),
  ...MOMENT_PARAMS,
})

export const GraphImportItem = Type.Object({
  name: Type.String(),
  kind: wordOf(IMPORT_KINDS, '`catalog`: of OLM, file-based. `graph`: in the form of Cincinnati.'),
  operator: wordOf(GRAPH_OPERATORS),
  /** Of the payloads; `null`: the same for all. */
  arch: orNull(Type.String()),
  source: Type.String(),
  importedAt: Time,
  by: Type.String(),
  /** The first irregularities: they are part of the graph all the same. */
  problems: Type.Array(Type.Object({ kind: Type.String(), text: Type.String() })),
})
export type GraphImportItem = Shape<typeof GraphImportItem>

const ExposureWord = wordOf(
  ['exposed', 'not_exposed', 'unknown'],
  '`unknown`: no rule of the risk could be evaluated for the cluster; such an update is not recommended either.',
)

export const GraphVersionItem = Type.Object({
  version: Type.String(),
  /** Empty: in no channel. */
  channels: Type.Array(Type.String()),
  /** The message; `null`: not deprecated. */
  deprecated: orNull(Type.String()),
  maxOpenShiftVersion: orNull(Type.String()),
  /** Clusters on it with a report in the last 7 days. */
  clusters: Type.Integer(),
  /** False: clusters run it, and the graph does not have it. */
  inGraph: Type.Boolean(),
  /** No update leads to a newer version, though a channel has one of the same major. */
  deadEnd: Type.Boolean(),
  /** By observed upgrades; `null`: not stranded. */
  stranded: orNull(wordOf(STRANDING_REASONS)),
  /** On upgrades to it, as in `/api/fleet/v1/rollouts`; `null`: none started in the last 30 days. */
  verdict: orNull(wordOf(ROLLOUT_DECISIONS)),
})
export type GraphVersionItem = Shape<typeof GraphVersionItem>

export const GraphEdgeItem = Type.Object({
  from: Type.String(),
  to: Type.String(),
  via: wordOf(EDGE_VIAS, 'What declares the update: an entry of a catalog, or a graph in the form of Cincinnati.'),
  channels: Type.Array(Type.String()),
  /** Names of its conditional risks. */
  risks: Type.Array(Type.String()),
  attempts: Type.Integer(),
  /** Of the upgrades that ended, with Wilson's 95 % interval; `null`: none ended. */
  success: orNull(Type.Object({ share: Type.Number(), low: Type.Number(), high: Type.Number(), of: Type.Integer() })),
})
export type GraphEdgeItem = Shape<typeof GraphEdgeItem>

/** The maximum of named clusters of a risk. */
export const EXPOSED_NAMED_MAX = 50

export const GraphRiskItem = Type.Object({
  name: Type.String(),
  message: Type.String(),
  url: Type.String(),
  /** Clusters on a version from which an update has the risk. */
  clusters: Type.Object({ exposed: Type.Integer(), notExposed: Type.Integer(), unknown: Type.Integer() }),
  exposed: Type.Array(Type.String(), { maxItems: EXPOSED_NAMED_MAX }),
  /** PromQL, in the order of precedence; empty: all clusters are exposed, or no rule can be evaluated. */
  promql: Type.Array(Type.String()),
  /** Why clusters are unknown. */
  notes: Type.Array(Type.String()),
})
export type GraphRiskItem = Shape<typeof GraphRiskItem>

export const GraphPathItem = Type.Object({
  from: Type.String(),
  to: Type.String(),
  cluster: orNull(Type.String()),
  channel: orNull(Type.String()),
  /** `null`: no path exists; empty: it is there already. */
  steps: orNull(
    Type.Array(
      Type.Object({
        from: Type.String(),
        to: Type.String(),
        via: wordOf(EDGE_VIAS),
        channels: Type.Array(Type.String()),
        risks: Type.Array(Type.Object({ name: Type.String(), exposure: ExposureWord })),
      }),
    ),
  ),
  /** No step has a risk, other than those that the cluster is not exposed to. */
  recommended: Type.Boolean(),
  /** The channel offers all steps. */
  inChannel: Type.Boolean(),
})
export type GraphPathItem = Shape<typeof GraphPathItem>

export const UpdateGraphAnswer = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  operator: wordOf(GRAPH_OPERATORS),
  /** The newest first; empty: the graph is made of the known releases of HCO, or there is none. */
  imports: Type.Array(GraphImportItem),
  channels: Type.Array(
    Type.Object({
      name: Type.String(),
      deprecated: orNull(Type.String()),
      /** The version that nothing updates; `null`: none, or several. */
      head: orNull(Type.String()),
      versions: Type.Integer(),
      /** Whose Subscription has it. */
      clusters: Type.Integer(),
    }),
  ),
  /** The oldest first. */
  versions: Type.Array(GraphVersionItem),
  /** From the versions with most clusters first; at most 5,000 of `edgesTotal`. */
  edges: Type.Array(GraphEdgeItem),
  edgesTotal: Type.Integer(),
  risks: Type.Array(GraphRiskItem),
  /** `null`: none was requested, or the cluster is unknown. */
  path: orNull(GraphPathItem),
})
export type UpdateGraphAnswer = Shape<typeof UpdateGraphAnswer>

/** `GET /api/fleet/v1/update-graph/imports`. */
export const GraphImportItems = Type.Object({ asOf: Time, imports: Type.Array(GraphImportItem) })
export type GraphImportItems = Shape<typeof GraphImportItems>

/** `PUT /api/fleet/v1/update-graph/imports/:name`. */
export const GraphImportRequest = Type.Object(
  {
    kind: wordOf(IMPORT_KINDS),
    operator: Type.Optional(OperatorParam),
    arch: Type.Optional(Type.String({ maxLength: 50, description: 'Of the payloads; default: the same for all.' })),
    channel: Type.Optional(
      Type.String({ maxLength: 300, description: 'Of a graph: the channel of nodes whose metadata names none.' }),
    ),
    package: Type.Optional(Type.String({ maxLength: 300, description: 'Of a catalog: the package to read.' })),
    source: Type.String({ maxLength: 2000, description: 'The file or address, for display.' }),
    document: Type.Unknown({
      description:
        'Of a catalog: a list of documents `olm.package`, `olm.channel`, `olm.bundle` and `olm.deprecations`. Of a ' +
        'graph: the object with `nodes`, `edges` and `conditionalEdges`.',
    }),
    by: Type.Optional(Type.String({ description: 'The author; only on a server without tokens.' })),
  },
  { additionalProperties: false },
)
export type GraphImportRequest = Shape<typeof GraphImportRequest>

/** `GET /api/upgrades_info/graph`, as an update service answers (docs/design/cincinnati.md of openshift/cincinnati). */
export const ServedGraphQuery = Type.Object({
  channel: Type.String({ description: 'The channel, such as `stable-4.19`.' }),
  arch: Type.Optional(Type.String({ description: 'Architecture of the payloads; default: `amd64`.' })),
  version: Type.Optional(Type.String({ description: 'The current version of the client; ignored.' })),
  id: Type.Optional(Type.String({ description: 'The cluster ID of the client; ignored.' })),
  operator: Type.Optional(
    wordOf(GRAPH_OPERATORS, 'Default: OpenShift when one of its imports has the channel, else HyperConverged.'),
  ),
})

export const ServedGraph = Type.Object({
  version: Type.Literal(1),
  nodes: Type.Array(
    Type.Object({
      version: Type.String(),
      payload: Type.String(),
      metadata: Type.Record(Type.String(), Type.String()),
    }),
  ),
  /** Pairs of indexes of nodes. */
  edges: Type.Array(Type.Array(Type.Integer())),
  conditionalEdges: Type.Array(
    Type.Object({
      edges: Type.Array(Type.Object({ from: Type.String(), to: Type.String() })),
      risks: Type.Array(
        Type.Object({
          url: Type.String(),
          name: Type.String(),
          message: Type.String(),
          matchingRules: Type.Array(
            Type.Object({ type: Type.String(), promql: Type.Optional(Type.Object({ promql: Type.String() })) }),
          ),
        }),
      ),
    }),
  ),
})
