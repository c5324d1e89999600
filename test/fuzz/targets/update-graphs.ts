import { FleetError } from '../../../src/base/errors.ts'
import { CATALOG_LIMITS, DocumentReader } from '../../../src/fleet/graph/documents.ts'
import { readImport } from '../../../src/fleet/graph/read-import.ts'
import { createUpdateGraphs } from '../../../src/fleet/graph/update-graphs.ts'
import { asJson, asYaml, CATALOG_BLOBS, CINCINNATI, PACKAGE } from '../../support/catalog.ts'
import { jsonBodies } from '../json-bodies.ts'
import { mutated } from '../mutate.ts'
import { BYTES, NOTHING_TO_CLOSE, oneByOne, type Target } from '../target.ts'

const SHORT = [...CATALOG_BLOBS.slice(0, 2), ...CATALOG_BLOBS.slice(-3)]
const bytes = (text: string): Uint8Array => Buffer.from(text)

/** A refusal names its reason; anything else that is thrown is a finding. */
function outcomeOf(check: () => void): string {
  try {
    check()
    return 'read'
  } catch (thrown) {
    if (thrown instanceof FleetError && (thrown.code === 'bad_request' || thrown.code === 'too_large')) return 'refused'
    throw thrown
  }
}

const documents: Target<Uint8Array> = {
  name: 'catalog-documents',
  claim: 'A file becomes documents that are mappings, or is refused with its place.',
  inputs: { suite: 200, long: 100_000 },
  shares: { read: 0.05, refused: 0.2 },
  open: () => {
    const corpus = [asYaml(SHORT), asJson(SHORT)].map(bytes)
    return {
      make: (random) => mutated(random, corpus),
      check: oneByOne((body) =>
        outcomeOf(() => {
          const text = Buffer.from(body).toString()
          for (const { value, line } of new DocumentReader(CATALOG_LIMITS, () => true).read('f', text)) {
            if (typeof value !== 'object' || line < 1) throw new Error(`got ${typeof value} on line ${line}`)
          }
        }),
      ),
      ...BYTES,
      ...NOTHING_TO_CLOSE,
    }
  },
}

function imports(kind: 'catalog' | 'graph', corpus: readonly unknown[]): Target<Uint8Array> {
  const operator = kind === 'catalog' ? 'kubevirt-hyperconverged' : 'openshift'
  return {
    name: `import-${kind}`,
    claim: 'A document becomes a graph whose edges are between its versions and which can be served, or is refused.',
    inputs: { suite: 200, long: 100_000 },
    shares: { refused: 0.1 },
    open: () => ({
      make: jsonBodies(corpus.map((one) => bytes(JSON.stringify(one)))),
      check: oneByOne((body) => {
        let document: unknown
        try {
          document = JSON.parse(Buffer.from(body).toString())
        } catch {
          return 'not_json'
        }
        return outcomeOf(() => {
          const named = kind === 'catalog' ? { package: PACKAGE } : { channel: 'stable' }
          const one = readImport({ name: 'x', kind, operator, source: 's', document, ...named }, 'me', 0)
          const graphs = createUpdateGraphs([one])
          const { graph } = graphs.graph(operator, ['1.17.9'])
          const versions = new Set(graph.nodes.map(({ version }) => version))
          if (graph.edges.some(({ from, to }) => !versions.has(from) || !versions.has(to)))
            throw new Error('loose edge')
          const { nodes, edges } = graphs.served({ channel: 'stable', operator })
          if (edges.flat().some((index) => nodes[index] === undefined)) throw new Error('index of no node')
        })
      }),
      ...BYTES,
      ...NOTHING_TO_CLOSE,
    }),
  }
}

export const UPDATE_GRAPHS = [documents, imports('catalog', [SHORT]), imports('graph', [CINCINNATI])]
