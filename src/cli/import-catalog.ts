/** `daytwo import catalog`: sends the update graph of an OLM file-based catalog to a running server. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FleetError, messageOf } from '../base/errors.ts'
import type { GraphImportItem, GraphImportRequest } from '../contract/update-graph.ts'
import { CATALOG_SCHEMAS, catalogOf, packageOf, type Catalog } from '../fleet/graph/catalog.ts'
import { catalogGraph } from '../fleet/graph/catalog-graph.ts'
import { CATALOG_LIMITS, DocumentReader, type CatalogDocument, type DocumentHead } from '../fleet/graph/documents.ts'
import { isTemplate, renderTemplate, TEMPLATE_SCHEMA } from '../fleet/graph/semver-template.ts'
import { inputError, readGiven } from './arguments.ts'
import { requestOwn, type Server } from './prometheus-client.ts'

/** HCO of the community, and OpenShift Virtualization. */
const PACKAGES = ['community-kubevirt-hyperconverged', 'kubevirt-hyperconverged'] as const
/** Of the CSVs of both. */
const CSV_STEM = 'kubevirt-hyperconverged-operator'

export async function importCatalog(
  server: Server,
  paths: readonly string[],
  options: ReadonlyMap<string, string>,
): Promise<void> {
  const named = options.get('package')
  const documents = readDocuments(paths.flatMap(filesIn), named === undefined ? PACKAGES : [named])
  const packages = [...new Set(documents.flatMap(({ value }) => packageOf(value) ?? []))].sort()
  if (packages.length === 0) {
    const want = named ?? PACKAGES.join(' or ')
    throw inputError(
      `${paths.join(', ')}: got no document of a catalog of package ${want}`,
      'name another with --package',
    )
  }
  const name = options.get('name')
  if (name !== undefined && packages.length > 1) {
    throw inputError(`--name: got one name for the packages ${packages.join(', ')}`, 'choose one with --package')
  }
  // All are read before the first is sent.
  const catalogs = packages.map((one) => catalogOf(one, documents))
  for (const catalog of catalogs) {
    const own = documents.filter(({ value }) => packageOf(value) === catalog.package)
    const request: GraphImportRequest = {
      ...{ kind: 'catalog', package: catalog.package, source: paths.join(', ') },
      document: own.map(({ value }) => stripped(value)),
    }
    const path = `/api/fleet/v1/update-graph/imports/${encodeURIComponent(name ?? catalog.package)}`
    report(await requestOwn<GraphImportItem>(server, 'PUT', path, request), catalog)
  }
}

function report({ name, problems }: GraphImportItem, catalog: Catalog): void {
  const { nodes, edges, channels } = catalogGraph(catalog)
  const versions = nodes.filter((node) => node.channels.length > 0).length
  console.log(`imported ${name}: ${versions} versions in ${channels.length} channels, ${edges.length} updates`)
  for (const { kind, text } of problems) console.error(`irregular (${kind}): ${text}`)
}

function readDocuments(files: readonly string[], packages: readonly string[]): readonly CatalogDocument[] {
  const isWanted = (head: DocumentHead): boolean => {
    const isRead = head.schema === undefined || [...CATALOG_SCHEMAS, TEMPLATE_SCHEMA].includes(head.schema)
    return isRead && (head.package === undefined || packages.includes(head.package))
  }
  const reader = new DocumentReader(CATALOG_LIMITS, isWanted)
  const found: CatalogDocument[] = []
  for (const file of files) {
    if (sizeOf(file) > CATALOG_LIMITS.bytesMax) {
      const got = `${file}: got ${sizeOf(file)} bytes, want at most ${CATALOG_LIMITS.bytesMax} in all files`
      throw inputError(got, 'give the folder of the package alone')
    }
    for (const document of reader.read(file, readGiven(file))) {
      if (isTemplate(document.value)) found.push(...renderTemplate(document, packages[0]!, CSV_STEM))
      else if (packages.includes(packageOf(document.value) ?? '')) found.push(document)
    }
  }
  return found
}

/** A file itself, or all files of a catalog below a folder. */
function filesIn(path: string): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ya?ml|json)$/.test(file))
      .sort()
      .map((file) => join(path, file))
  } catch (thrown) {
    throw new FleetError('config_invalid', `reading ${path} failed: ${messageOf(thrown)}`, { cause: thrown })
  }
}

function sizeOf(path: string): number {
  return statSync(path).size
}

/** Without what is not read: bundles have their manifests in them, which are most of a catalog. */
function stripped(value: CatalogDocument['value']): CatalogDocument['value'] {
  const { schema, name, package: of, image, properties, entries, defaultChannel } = value
  if (schema !== 'olm.bundle') return { schema, name, package: of, entries, defaultChannel }
  const read = ['olm.package', 'olm.maxOpenShiftVersion']
  const isRead = (property: { readonly type?: unknown }): boolean => read.includes(String(property.type))
  const own = ((properties ?? []) as { readonly type?: unknown }[]).filter(isRead)
  return { schema, name, package: of, image, properties: own }
}
