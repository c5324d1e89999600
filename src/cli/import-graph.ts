/** `daytwo import graph`: sends a graph in the form of Cincinnati, from a file or from an update service, to a running server. */
import { basename } from 'node:path'
import { messageOf } from '../base/errors.ts'
import type { GraphImportItem, GraphImportRequest } from '../contract/update-graph.ts'
import { readCincinnati } from '../fleet/graph/cincinnati.ts'
import { DocumentReader } from '../fleet/graph/documents.ts'
import { lineOf } from '../fleet/graph/line-of.ts'
import { GRAPH_OPERATORS } from '../model/graph-import.ts'
import { inputError, readGiven, unexpected } from './arguments.ts'
import { NoAnswer, requestOwn, type Server } from './prometheus-client.ts'

const LIMITS = { bytesMax: 16 * 1024 * 1024, documentsMax: 1 }

export async function importGraph(server: Server, source: string, options: ReadonlyMap<string, string>): Promise<void> {
  const operator = GRAPH_OPERATORS.find((known) => known === (options.get('operator') ?? 'openshift'))
  if (operator === undefined)
    throw unexpected('--operator', options.get('operator') ?? '', GRAPH_OPERATORS.join(' or '))
  const isUrl = /^https?:\/\//.test(source)
  const params = isUrl ? new URL(source).searchParams : new URLSearchParams()
  const channel = options.get('channel') ?? params.get('channel') ?? undefined
  const arch = options.get('arch') ?? params.get('arch') ?? (operator === 'openshift' ? 'amd64' : undefined)
  const text = isUrl ? await fetched(source) : readGiven(source)
  const [document] = new DocumentReader(LIMITS, () => true).read(source, text)
  if (document === undefined) throw inputError(`${source}: got nothing, want an update graph`)
  const placeOf = (path: string): string => `${source}:${lineOf(text, path)}${path === '' ? '' : `: ${path}`}`
  const graph = readCincinnati(document.value, channel, placeOf)
  const name = options.get('name') ?? channel ?? basename(source).replace(/\.(json|ya?ml)$/, '')
  const request: GraphImportRequest = {
    ...{ kind: 'graph', operator, source, document: document.value },
    ...(channel === undefined ? {} : { channel }),
    ...(arch === undefined ? {} : { arch }),
  }
  const path = `/api/fleet/v1/update-graph/imports/${encodeURIComponent(name)}`
  const { problems } = await requestOwn<GraphImportItem>(server, 'PUT', path, request)
  const conditional = graph.conditionalEdges.reduce((sum, { edges }) => sum + edges.length, 0)
  console.log(
    `imported ${name}: ${graph.nodes.length} versions, ${graph.edges.length} updates, ${conditional} conditional updates`,
  )
  for (const { kind, text: found } of problems) console.error(`irregular (${kind}): ${found}`)
}

async function fetched(url: string): Promise<string> {
  let response: Response
  try {
    response = await fetch(url, { headers: { accept: 'application/json' } })
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
    throw new NoAnswer(`cannot reach ${new URL(url).origin}: ${messageOf(cause)}`)
  }
  if (!response.ok) throw new NoAnswer(`${url} answers ${response.status}, want a graph`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += (part as Uint8Array).byteLength
    if (bytes > LIMITS.bytesMax)
      throw new NoAnswer(`${url} answers more than ${LIMITS.bytesMax} bytes, want at most as many`)
    parts.push(part as Uint8Array)
  }
  return Buffer.concat(parts).toString('utf8')
}
