/**
 * Reads an OLM file-based catalog: the documents `olm.package`, `olm.channel`, `olm.bundle` and `olm.deprecations` of one package.
 * Other schemas (`olm.csv.metadata`, those of other tools) are ignored, as OLM does. catalog-graph.ts makes the graph of it.
 */
import { compareTexts, versionOfCsv } from '../version-order.ts'
import { Fields, MESSAGE_CHARS_MAX, refused, shownValue, type PlaceOf } from './fields.ts'
import type { CatalogDocument } from './documents.ts'

export interface Catalog {
  readonly package: string
  readonly defaultChannel?: string
  /** The message of the package's deprecation. */
  readonly deprecated?: string
  /** By name. */
  readonly channels: readonly CatalogChannel[]
  /** By name. */
  readonly bundles: readonly CatalogBundle[]
}

export interface CatalogChannel {
  readonly name: string
  readonly deprecated?: string
  /** By name. */
  readonly entries: readonly CatalogEntry[]
}

export interface CatalogEntry {
  /** Of the bundle. */
  readonly name: string
  readonly replaces?: string
  readonly skips?: readonly string[]
  /** In blang's syntax; a range that is not is reported, and matches nothing. */
  readonly skipRange?: string
}

export interface CatalogBundle {
  readonly name: string
  readonly version: string
  readonly image?: string
  readonly deprecated?: string
  readonly maxOpenShiftVersion?: string
}

/** Of one package; the largest public ones have some hundred bundles and dozens of channels. */
const CHANNELS_MAX = 500
const ENTRIES_MAX = 2000
export const BUNDLES_MAX = 2000
const DEPRECATIONS_MAX = 5000
const PROPERTIES_MAX = 10_000

/** The schemas that are read; the first three name their package in `package`, `olm.package` in `name`. */
export const CATALOG_SCHEMAS: readonly string[] = ['olm.channel', 'olm.bundle', 'olm.deprecations', 'olm.package']

/** The package of a document; `undefined`: it is of none, or of a schema that is not read. */
export function packageOf(value: CatalogDocument['value']): string | undefined {
  const { schema, name, package: of } = value as Readonly<Record<'schema' | 'name' | 'package', unknown>>
  if (typeof schema !== 'string' || !CATALOG_SCHEMAS.includes(schema)) return undefined
  const found = schema === 'olm.package' ? name : of
  return typeof found === 'string' ? found : undefined
}

/** Only the documents of the package are read, in any order. Throws `bad_request` with the place of what is wrong. */
export function catalogOf(name: string, documents: Iterable<CatalogDocument>): Catalog {
  const draft = new Draft(name)
  for (const document of documents) if (packageOf(document.value) === name) draft.add(document)
  return draft.catalog()
}

interface Deprecation {
  readonly schema: string
  readonly name: string
  readonly message: string
}

class Draft {
  readonly #name: string
  #package: { readonly defaultChannel?: string } | undefined
  readonly #channels = new Map<string, CatalogChannel>()
  readonly #bundles = new Map<string, CatalogBundle>()
  readonly #deprecations: Deprecation[] = []
  #lastFile = ''

  constructor(name: string) {
    this.#name = name
  }

  add({ file, line, value }: CatalogDocument): void {
    this.#lastFile = file
    const placeOf: PlaceOf = (path) => `${file}:${line}${path === '' ? '' : `: ${path}`}`
    const fields = new Fields(value, '', placeOf)
    switch (fields.text('schema')) {
      case 'olm.package':
        if (this.#package !== undefined) throw fields.refusal('name', 'one olm.package of each name')
        this.#package = optional({ defaultChannel: fields.optionalText('defaultChannel') })
        return
      case 'olm.channel':
        addOnce(this.#channels, channelOf(fields), CHANNELS_MAX, fields)
        return
      case 'olm.bundle':
        addOnce(this.#bundles, bundleOf(fields), BUNDLES_MAX, fields)
        return
      case 'olm.deprecations':
        this.#deprecations.push(...fields.list('entries', DEPRECATIONS_MAX).map(deprecationOf))
    }
  }

  catalog(): Catalog {
    if (this.#channels.size === 0) {
      const place = this.#lastFile === '' ? 'the catalog' : this.#lastFile
      throw refused(place, `no olm.channel of package ${shownValue(this.#name)}`, 'at least one')
    }
    const messageOf = (schema: string, name: string) =>
      optional({
        deprecated: this.#deprecations.find((one) => one.schema === schema && one.name === name)?.message,
      })
    const sorted = <T extends { readonly name: string }>(all: ReadonlyMap<string, T>, schema: string) =>
      [...all.values()]
        .sort((a, b) => compareTexts(a.name, b.name))
        .map((one) => ({ ...one, ...messageOf(schema, one.name) }))
    return {
      package: this.#name,
      ...this.#package,
      ...messageOf('olm.package', ''),
      channels: sorted(this.#channels, 'olm.channel'),
      bundles: sorted(this.#bundles, 'olm.bundle'),
    }
  }
}

function addOnce<T extends { readonly name: string }>(all: Map<string, T>, one: T, max: number, fields: Fields): void {
  if (all.has(one.name)) throw fields.refusal('name', 'each name once')
  if (all.size >= max) throw fields.refusal('name', `at most ${max} documents of this schema`)
  all.set(one.name, one)
}

function channelOf(fields: Fields): CatalogChannel {
  const entries = new Map<string, CatalogEntry>()
  for (const entry of fields.list('entries', ENTRIES_MAX)) {
    const skips = entry.texts('skips', ENTRIES_MAX)
    const one = {
      name: entry.text('name'),
      ...optional({ replaces: entry.optionalText('replaces'), skipRange: entry.optionalText('skipRange', 1000) }),
      ...(skips.length === 0 ? {} : { skips: [...new Set(skips)].sort(compareTexts) }),
    }
    if (entries.has(one.name)) throw entry.refusal('name', 'each bundle once in a channel')
    entries.set(one.name, one)
  }
  return { name: fields.text('name'), entries: [...entries.values()].sort((a, b) => compareTexts(a.name, b.name)) }
}

function bundleOf(fields: Fields): CatalogBundle {
  const name = fields.text('name')
  const properties = fields.list('properties', PROPERTIES_MAX)
  const of = (type: string): Fields | undefined => properties.find((property) => property.value('type') === type)
  const version = of('olm.package')?.mapping('value')?.text('version') ?? versionOfCsv(name)
  if (version === undefined) throw fields.refusal('properties', 'olm.package with a version')
  // A number would be unclear: 4.20 and 4.2 are one number.
  const maxOpenShiftVersion = of('olm.maxOpenShiftVersion')?.text('value')
  return { name, version, ...optional({ image: fields.optionalText('image', 2000), maxOpenShiftVersion }) }
}

function deprecationOf(fields: Fields): Deprecation {
  const reference = fields.mapping('reference')
  if (reference === undefined) throw fields.refusal('reference', 'a mapping with schema and name')
  const schema = reference.text('schema')
  const name = schema === 'olm.package' ? '' : reference.text('name')
  return { schema, name, message: fields.text('message', MESSAGE_CHARS_MAX).trim() }
}

/** Without the fields that are `undefined`. */
export function optional<T extends Readonly<Record<string, string | undefined>>>(
  fields: T,
): { readonly [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: string
  }
}
