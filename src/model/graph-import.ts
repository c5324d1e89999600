/** Operators whose update graph can be imported. */
export const GRAPH_OPERATORS = ['kubevirt-hyperconverged', 'openshift'] as const
export type GraphOperator = (typeof GRAPH_OPERATORS)[number]

/** `catalog`: of OLM, file-based. `graph`: in Cincinnati's form. */
export const IMPORT_KINDS = ['catalog', 'graph'] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

/** An imported catalog or graph. An import of the same name takes its place. */
export interface GraphImport {
  readonly name: string
  readonly kind: ImportKind
  readonly operator: GraphOperator
  /** Of the payloads; absent: the same for all. */
  readonly arch?: string
  /** The file or the address, as the user named it. */
  readonly source: string
  readonly importedMs: number
  readonly by: string
  /** What `fleet/graph` has read, as JSON: a catalog, or a graph of the model. */
  readonly document: string
}
