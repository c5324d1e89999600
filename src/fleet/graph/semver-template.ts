/**
 * Makes the channels of an `olm.semver` template, as `opm alpha render-template semver` does: the head of each minor skips the
 * older bundles of its minor and replaces the head of the minor before, within a major version. The versions are those of the
 * images' tags, because bundles are not pulled: HyperConverged's index is such a template.
 */
import { groupBy } from '../../base/group-by.ts'
import { compareVersions, minorOf } from '../version-order.ts'
import type { CatalogDocument } from './documents.ts'
import { Fields, refused, shownValue } from './fields.ts'

export const TEMPLATE_SCHEMA = 'olm.semver'

const STREAMS = ['Candidate', 'Fast', 'Stable'] as const
const BUNDLES_MAX = 2000

interface TaggedBundle {
  readonly name: string
  readonly version: string
  readonly image: string
}

export function isTemplate(value: CatalogDocument['value']): boolean {
  return withLowerKeys(value)['schema'] === TEMPLATE_SCHEMA
}

/** The documents of a file-based catalog of a package. @param stem of the CSV names: `kubevirt-hyperconverged-operator` */
export function renderTemplate(
  template: CatalogDocument,
  packageName: string,
  stem: string,
): readonly CatalogDocument[] {
  const { file, line } = template
  const placeOf = (path: string): string => `${file}:${line}${path === '' ? '' : `: ${path}`}`
  const fields = new Fields(withLowerKeys(template.value), '', placeOf)
  const isMinor = fields.value('generateminorchannels') ?? true
  const isMajor = fields.value('generatemajorchannels') ?? false
  const bundles = new Map<string, TaggedBundle>()
  const channels: Readonly<Record<string, unknown>>[] = []
  for (const stream of STREAMS) {
    const own = fields.mapping(stream.toLowerCase())
    if (own === undefined) continue
    const listed = new Fields(withLowerKeys(Object.fromEntries(own.entries())), stream, placeOf)
    const tagged = listed
      .list('bundles', BUNDLES_MAX)
      .map((item) => new Fields(withLowerKeys(Object.fromEntries(item.entries())), `${stream}.Bundles`, placeOf))
      .map((item) => taggedBundle(item, stem))
      .sort((a, b) => compareVersions(a.version, b.version))
    for (const bundle of tagged) bundles.set(bundle.name, bundle)
    const entries = entriesOf(tagged)
    const name = stream.toLowerCase()
    for (const [minor, some] of groupBy(entries, ({ version }) => minorOf(version))) {
      if (isMinor === true) channels.push(channelOf(packageName, `${name}-v${minor}`, some))
    }
    for (const [major, some] of groupBy(entries, ({ version }) => version.split('.')[0]!)) {
      if (isMajor === true) channels.push(channelOf(packageName, `${name}-v${major}`, some))
    }
  }
  const documents: readonly CatalogDocument['value'][] = [
    { schema: 'olm.package', name: packageName },
    ...channels,
    ...[...bundles.values()].map(({ name, version, image }) => ({
      ...{ schema: 'olm.bundle', package: packageName, name, image },
      properties: [{ type: 'olm.package', value: { packageName, version } }],
    })),
  ]
  return documents.map((value) => ({ file, line, value }))
}

type Entry = TaggedBundle & { readonly replaces?: string; readonly skips?: readonly string[] }

/** @param tagged by version */
function entriesOf(tagged: readonly TaggedBundle[]): readonly Entry[] {
  const minors = [...groupBy(tagged, ({ version }) => minorOf(version)).values()]
  return minors.flatMap((minor, i) => {
    const [older, head] = [minor.slice(0, -1), minor.at(-1)!]
    const before = minors[i - 1]?.at(-1)
    const isSameMajor = before !== undefined && before.version.split('.')[0] === head.version.split('.')[0]
    return [
      ...older,
      {
        ...head,
        ...(isSameMajor ? { replaces: before.name } : {}),
        ...(older.length === 0 ? {} : { skips: older.map(({ name }) => name) }),
      },
    ]
  })
}

function channelOf(packageName: string, name: string, entries: readonly Entry[]): Readonly<Record<string, unknown>> {
  return {
    ...{ schema: 'olm.channel', package: packageName, name },
    entries: entries.map(({ name: bundle, replaces, skips }) => ({ name: bundle, replaces, skips })),
  }
}

function taggedBundle(fields: Fields, stem: string): TaggedBundle {
  const image = fields.text('image', 2000)
  const version = /:v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(image)?.[1]
  if (version !== undefined) return { name: `${stem}.v${version}`, version, image }
  throw refused(
    'olm.semver',
    `the image ${shownValue(image)}`,
    'a tag that is a version; otherwise render the template with `opm alpha render-template semver`',
  )
}

/** opm reads its keys in any case. */
function withLowerKeys(value: CatalogDocument['value']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item]))
}
