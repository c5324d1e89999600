/** Checks what a request imports and makes of it what is stored. The command line checks the same before it sends. */
import { FleetError } from '../../base/errors.ts'
import type { GraphImport, GraphOperator, ImportKind } from '../../model/graph-import.ts'
import { catalogGraph } from './catalog-graph.ts'
import { catalogOf, packageOf } from './catalog.ts'
import { readCincinnati } from './cincinnati.ts'
import { refused, shownValue } from './fields.ts'

export interface ImportRequest {
  readonly name: string
  readonly kind: ImportKind
  readonly operator: GraphOperator
  readonly arch?: string
  /** Of a graph: the channel of nodes whose metadata names none. */
  readonly channel?: string
  /** Of a catalog; absent: the only one that it has. */
  readonly package?: string
  readonly source: string
  /** Documents of a catalog as a list, or a graph in Cincinnati's form. */
  readonly document: unknown
}

const NAME = /^[\w][\w.-]{0,99}$/
const DOCUMENTS_MAX = 20_000

/** Throws `bad_request` with the place of what is wrong, and `too_large`. */
export function readImport(asked: ImportRequest, by: string, nowMs: number): GraphImport {
  const { name, kind, operator, arch, source } = asked
  if (!NAME.test(name)) {
    throw new FleetError('bad_request', `name: got ${shownValue(name)}, want up to 100 letters, digits, . _ or -`)
  }
  const document = kind === 'catalog' ? readCatalog(asked) : readGraph(asked)
  return {
    ...{ name, kind, operator, source, importedMs: nowMs, by, document: JSON.stringify(document) },
    ...(arch === undefined ? {} : { arch }),
  }
}

function readGraph({ document, channel, operator }: ImportRequest): object {
  const graph = readCincinnati(document, channel, (path) => (path === '' ? 'document' : `document.${path}`))
  if (graph.nodes.length > 0) return graph
  throw refused('document.nodes', 'no version', `the versions of ${operator}`)
}

function readCatalog({ document, package: named, operator }: ImportRequest): object {
  if (operator !== 'kubevirt-hyperconverged') {
    throw refused('operator', shownValue(operator), 'kubevirt-hyperconverged: OpenShift itself is in no catalog')
  }
  if (!Array.isArray(document)) throw refused('document', shownValue(document), 'a list of documents')
  if (document.length > DOCUMENTS_MAX) {
    throw new FleetError('too_large', `document: got ${document.length} documents, want at most ${DOCUMENTS_MAX}`)
  }
  const documents = document.map((value: unknown, i) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { file: `document[${i}]`, line: 1, value: value as Readonly<Record<string, unknown>> }
    }
    throw refused(`document[${i}]`, shownValue(value), 'a mapping with the key schema')
  })
  const packages = [...new Set(documents.flatMap(({ value }) => packageOf(value) ?? []))]
  const only = named ?? packages[0]
  if (only === undefined || (named === undefined && packages.length > 1)) {
    throw refused(
      'package',
      packages.length === 0 ? 'no package' : `the packages ${packages.join(', ')}`,
      'one of them',
    )
  }
  const catalog = catalogOf(only, documents)
  // Counts the edges.
  catalogGraph(catalog)
  return catalog
}
