import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalogGraph, EDGES_MAX } from '../../../src/fleet/graph/catalog-graph.ts'
import { catalogOf, packageOf, type Catalog } from '../../../src/fleet/graph/catalog.ts'
import { CATALOG_LIMITS, DocumentReader, type CatalogDocument } from '../../../src/fleet/graph/documents.ts'
import { cycles, graphProblems } from '../../../src/fleet/graph/graph-problems.ts'
import { releaseGraph } from '../../../src/fleet/graph/release-graph.ts'
import { isTemplate, renderTemplate } from '../../../src/fleet/graph/semver-template.ts'
import { shortestPath } from '../../../src/fleet/graph/shortest-path.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import { asJson, asYaml, CATALOG_BLOBS, CHANNELS, DEPRECATED, PACKAGE, RELEASED } from '../../support/catalog.ts'

function documentsOf(
  text: string,
  isWanted: (head: { schema?: string; package?: string }) => boolean = () => true,
): CatalogDocument[] {
  return [...new DocumentReader(CATALOG_LIMITS, isWanted).read('c.yaml', text)]
}
const read = (text: string): Catalog => catalogOf(PACKAGE, documentsOf(text))
const catalog = read(asYaml())

/** A catalog with one channel, whose lines are `name < replaced, skips a b, range R`. */
function small(lines: string, bundles: Readonly<Record<string, string>> = {}): Catalog {
  const entries = lines.split('\n').map((line) => {
    const [, name, replaces, skips = '', skipRange] = /^(\S+)(?: < (\S+))?(?: skips ([^/]+))?(?: \/(.+)\/)?$/.exec(
      line.trim(),
    )!
    return { name, replaces, skips: skips.split(' ').filter((one) => one !== ''), skipRange }
  })
  return catalogOf(
    PACKAGE,
    [
      { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries },
      ...Object.entries(bundles).map(([name, version]) => ({
        ...{ schema: 'olm.bundle', package: PACKAGE, name },
        properties: [{ type: 'olm.package', value: { packageName: PACKAGE, version } }],
      })),
    ].map((value) => ({
      file: 'small',
      line: 1,
      value: JSON.parse(JSON.stringify(value)) as CatalogDocument['value'],
    })),
  )
}
const edgesOf = (from: Catalog, versions?: readonly string[]): string[] =>
  catalogGraph(from, versions).edges.map((edge) => `${edge.from} ${edge.to} ${edge.via}`)

describe('a catalog of the known releases', () => {
  test('has every release, channel, deprecation and cap', () => {
    const graph = catalogGraph(catalog)
    expect(graph.nodes.filter(({ channels }) => channels.length > 0).map(({ version }) => version)).toEqual(RELEASED)
    expect(graph.channels.map(({ name }) => name)).toEqual(CHANNELS)
    expect(graph.channels.find(({ name }) => name === 'stable-v1.9')?.deprecated).toBe(
      'stable-v1.9 gets no more updates.',
    )
    expect(graph.nodes.filter(({ deprecated }) => deprecated !== undefined).map(({ version }) => version)).toEqual(
      DEPRECATED,
    )
    expect(graph.nodes.find(({ version }) => version === '1.14.0')).toEqual({
      version: '1.14.0',
      channels: ['stable', 'stable-v1.14'],
      maxOpenShiftVersion: '4.19',
      payload: 'quay.io/kubevirt/hyperconverged-cluster-bundle:1.14.0',
    })
    expect(graph.channels.find(({ name }) => name === 'stable')?.head).toBe('1.18.1')
    expect(catalog.defaultChannel).toBe('stable')
  })

  test('replaces, skips and skipRange become updates, in their channels', () => {
    const { edges } = catalogGraph(catalog)
    const find = (from: string, to: string) => edges.find((edge) => edge.from === from && edge.to === to)
    expect(find('1.17.2', '1.17.3')).toEqual({
      from: '1.17.2',
      to: '1.17.3',
      via: 'replaces',
      channels: ['stable', 'stable-v1.17'],
    })
    expect(find('1.17.0', '1.17.3')).toEqual({ from: '1.17.0', to: '1.17.3', via: 'skips', channels: ['stable-v1.17'] })
    expect(find('1.17.1', '1.18.0')).toEqual({ from: '1.17.1', to: '1.18.0', via: 'skip_range', channels: ['stable'] })
    expect(find('1.16.0', '1.18.0')).toBeUndefined()
    // Both: the first of the two ways counts.
    expect(find('1.17.3', '1.18.0')?.via).toBe('replaces')
  })

  test.each([
    ['JSON as opm prints it', asJson()],
    ['JSON in one line each', CATALOG_BLOBS.map((blob) => JSON.stringify(blob)).join('\n')],
    ['JSON without a separator', CATALOG_BLOBS.map((blob) => JSON.stringify(blob)).join('')],
    ['YAML with ends of documents', `# catalog\n${asYaml().replaceAll('---\n', '...\n---\n')}...\n`],
    ['YAML with carriage returns', asYaml().replaceAll('\n', '\r\n')],
    ['both in one stream', `${asJson(CATALOG_BLOBS.slice(0, 5))}${asYaml(CATALOG_BLOBS.slice(5))}`],
  ])('%s is the same catalog', (_name, text) => {
    expect(read(text)).toEqual(catalog)
  })

  test('the order of documents does not matter', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...CATALOG_BLOBS], { minLength: CATALOG_BLOBS.length }), (blobs) => {
        expect(read(asJson(blobs))).toEqual(catalog)
      }),
      { numRuns: 20 },
    )
  })

  test('documents of other packages are left out unparsed', () => {
    const others = asYaml().replaceAll(PACKAGE, 'other').replaceAll('message:', 'message: [broken')
    const isOwn = (head: { package?: string; schema?: string }): boolean =>
      head.schema === 'olm.package' || (head.package ?? PACKAGE) === PACKAGE
    expect(catalogOf(PACKAGE, documentsOf(`${others}${asYaml()}`, isOwn))).toEqual(catalog)
  })

  test('the shortest path over all channels is one update per minor', () => {
    const path = shortestPath(catalogGraph(catalog), '1.14.0', '1.18.1')
    expect(path?.map(({ to }) => to)).toEqual(['1.15.0', '1.16.0', '1.17.3', '1.18.1'])
  })
})

describe('updates of a catalog', () => {
  test('a version that is not in the catalog is updated too', () => {
    const from = small('o.v1.2.0 < o.v1.1.0 skips o.v1.1.5 />=1.0.0 <1.2.0/')
    expect(edgesOf(from, ['1.0.3', '0.9.0'])).toEqual([
      '1.0.3 1.2.0 skip_range',
      '1.1.0 1.2.0 replaces',
      '1.1.5 1.2.0 skips',
    ])
    expect(catalogGraph(from).nodes.map(({ version, channels }) => `${version} ${channels.join()}`)).toEqual([
      '1.1.0 ',
      '1.1.5 ',
      '1.2.0 stable',
    ])
  })

  test('a version never updates to itself', () => {
    expect(edgesOf(small('o.v1.2.0 < o.v1.2.0 />=1.0.0/'))).toEqual([])
  })

  test('the version of a bundle is its property, not its name', () => {
    expect(edgesOf(small('a.one\na.two < a.one', { 'a.one': '1.0.0', 'a.two': '1.1.0' }))).toEqual([
      '1.0.0 1.1.0 replaces',
    ])
  })

  test('a channel with two versions that nothing updates has no head', () => {
    expect(catalogGraph(small('o.v1.0.0\no.v1.1.0')).channels).toEqual([{ name: 'stable' }])
    expect(catalogGraph(small('o.v1.0.0\no.v1.1.0 < o.v1.0.0')).channels).toEqual([{ name: 'stable', head: '1.1.0' }])
  })

  test('more edges than the limit are refused', () => {
    const versions = Array.from({ length: 400 }, (_, i) => `1.${i}.0`)
    const lines = versions.map((version) => `o.v${version} />=0.0.0/`).join('\n')
    expect(() => catalogGraph(small(lines))).toThrow(`more than ${EDGES_MAX} updates`)
    const skipping = (count: number): Catalog => {
      const skips = Array.from({ length: count }, (_, i) => `o.v1.0.${i}`)
      return { package: 'p', channels: [{ name: 'stable', entries: [{ name: 'o.v2.0.0', skips }] }], bundles: [] }
    }
    expect(catalogGraph(skipping(EDGES_MAX)).edges).toHaveLength(EDGES_MAX)
    expect(() => catalogGraph(skipping(EDGES_MAX + 1))).toThrow(`more than ${EDGES_MAX} updates`)
  })
})

describe('problems of a graph', () => {
  const problemsOf = (from: Catalog): string[] =>
    graphProblems(catalogGraph(from), from).map(({ kind, text }) => `${kind}: ${text}`)

  test('a regular catalog has none', () => {
    expect(problemsOf(catalog)).toEqual([])
  })

  test('a cycle and an update to an older version are tolerated and reported', () => {
    const from = small('o.v1.15.2 < o.v1.16.0\no.v1.16.0 < o.v1.15.2\no.v1.17.0 < o.v1.16.0')
    expect(edgesOf(from)).toEqual(['1.15.2 1.16.0 replaces', '1.16.0 1.15.2 replaces', '1.16.0 1.17.0 replaces'])
    expect(problemsOf(from)).toEqual([
      'backward: 1.16.0 is updated to the older 1.15.2 (replaces)',
      'cycle: a cycle over 1.15.2, 1.16.0',
    ])
    expect(shortestPath(catalogGraph(from), '1.15.2', '1.17.0')?.map(({ to }) => to)).toEqual(['1.16.0', '1.17.0'])
  })

  test('a range in another syntax, an entry without a version, two heads', () => {
    expect(problemsOf(small('o.v1.0.0\nodd\no.v1.1.0 /~1.0.0/'))).toEqual([
      'bad_range: channel stable: o.v1.1.0 has skipRange "~1.0.0", want blang semver such as ">=1.0.0 <1.1.0"',
      'no_bundle: channel stable: odd has no olm.bundle, so its version is not known',
      'several_heads: channel stable has no single head',
    ])
  })

  test('a chain of thousands of versions needs no deep stack', () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) => ({ version: `1.${i}.0`, channels: [] }))
    const edges = nodes.map(({ version }, i) => ({
      from: version,
      to: nodes[(i + 1) % nodes.length]!.version,
      via: 'graph' as const,
    }))
    expect(cycles({ nodes, edges }).map((group) => group.length)).toEqual([10_000])
    expect(cycles({ nodes, edges: edges.slice(0, -1) })).toEqual([])
  })
})

describe('refused catalogs', () => {
  const channel = (entries: unknown, name: unknown = 'stable'): string =>
    JSON.stringify({ schema: 'olm.channel', package: PACKAGE, name, entries })
  const bundle = (fields: object): string =>
    JSON.stringify({ schema: 'olm.bundle', package: PACKAGE, name: 'o.v1.0.0', properties: [], ...fields })
  test.each([
    ['', 'the catalog: got no olm.channel of package "community-kubevirt-hyperconverged", want at least one'],
    ['\n\n- a\n', 'c.yaml:1: got ["a"], want a mapping with the key schema'],
    ['schema: olm.package\n---\nname: [\n', 'c.yaml:4: got invalid YAML'],
    ['{"schema": "olm.channel",\n\n "x": [ }', 'c.yaml:3: got invalid YAML'],
    [`${channel([])}\n\n${channel([])}`, 'c.yaml:3: name: got "stable", want each name once'],
    [channel([{ name: 'a' }, { name: 7 }]), 'c.yaml:1: entries[1].name: got 7, want a text'],
    [channel([{ name: 'a' }, { name: 'a' }]), 'c.yaml:1: entries[1].name: got "a", want each bundle once in a channel'],
    [
      channel([{ name: 'a', skips: ['b', 3] }]),
      'c.yaml:1: entries[0].skips[1]: got 3, want a text of at most 300 characters',
    ],
    [channel('all'), 'c.yaml:1: entries: got "all", want a list'],
    [channel(['a']), 'c.yaml:1: entries[0]: got "a", want a mapping'],
    [
      channel(Array.from({ length: 2001 }, (_, i) => ({ name: `a${i}` }))),
      'c.yaml:1: entries: got 2001 items, want at most 2000',
    ],
    [channel([], 'x'.repeat(301)), 'want at most 300 characters'],
    [bundle({ name: 'odd' }), 'c.yaml:1: properties: got [], want olm.package with a version'],
    [
      bundle({ properties: [{ type: 'olm.maxOpenShiftVersion', value: 4.2 }] }),
      'c.yaml:1: properties[0].value: got 4.2, want a text',
    ],
    [
      JSON.stringify({
        schema: 'olm.deprecations',
        package: PACKAGE,
        entries: [{ reference: { schema: 'olm.bundle' }, message: 'm' }],
      }),
      'entries[0].reference.name: got nothing, want a text',
    ],
    [JSON.stringify({ schema: 'olm.package', name: PACKAGE }).repeat(2), 'want one olm.package of each name'],
  ])('%s: %s', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test('an alias bomb, and thousands of values inside each other', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'.split('').map((key, i) => `${key}: &${key} [${Array(10).fill(`*${'abcdefg'[i]}`).join(', ')}]`),
    ].join('\n')
    expect(() => documentsOf(bomb)).toThrow(/^c.yaml:1: got Excessive alias count/)
    expect(() => documentsOf(`a: ${'['.repeat(20_000)}`)).toThrow(/^c.yaml:1: got /)
    expect(() => documentsOf(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toThrow(/^c.yaml:1: got /)
    expect(() => documentsOf(`{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).not.toThrow()
  })

  test('too many bytes, and too many documents', () => {
    const all = (limits: object, text: string): unknown[] => [
      ...new DocumentReader({ ...CATALOG_LIMITS, ...limits }, () => true).read('c', text),
    ]
    expect(all({ bytesMax: 4 }, 'a: 1')).toHaveLength(1)
    expect(() => all({ bytesMax: 3 }, 'a: 1')).toThrow('c: got more than 3 bytes')
    expect(all({ documentsMax: 2 }, 'a: 1\n---\nb: 1')).toHaveLength(2)
    expect(() => all({ documentsMax: 1 }, 'a: 1\n---\nb: 1')).toThrow('c:3: got more than 1 documents')
    const skipping = new DocumentReader({ ...CATALOG_LIMITS, documentsMax: 1 }, () => false)
    expect(() => [...skipping.read('c', 'a: 1\n---\nb: 1')]).toThrow('c:2: got more than 1 documents')
  })
})

describe('an olm.semver template', () => {
  const template = (generate: string) =>
    `schema: olm.semver\n${generate}\nCandidate:\n  Bundles:\n${['0.1.0', '0.1.1', '0.1.2', '0.2.0', '0.3.0', '1.0.0', '1.0.1', '1.1.0'].map((version) => `  - Image: quay.io/foo/olm:v${version}\n`).join('')}Stable:\n  Bundles:\n  - Image: quay.io/foo/olm:v1.0.1\n`
  const rendered = (text: string): Catalog => {
    const [document] = documentsOf(text)
    expect(isTemplate(document!.value)).toBe(true)
    return catalogOf(PACKAGE, renderTemplate(document!, PACKAGE, 'o'))
  }
  const shown = ({ channels }: Catalog): string[] =>
    channels.flatMap(({ name, entries }) =>
      entries.map((one) => `${name}: ${one.name} ${one.replaces ?? '-'} ${one.skips?.join() ?? '-'}`),
    )

  test('minor channels, which are the default, as opm renders them', () => {
    expect(shown(rendered(template('GenerateMinorChannels: true')))).toEqual([
      'candidate-v0.1: o.v0.1.0 - -',
      'candidate-v0.1: o.v0.1.1 - -',
      'candidate-v0.1: o.v0.1.2 - o.v0.1.0,o.v0.1.1',
      'candidate-v0.2: o.v0.2.0 o.v0.1.2 -',
      'candidate-v0.3: o.v0.3.0 o.v0.2.0 -',
      'candidate-v1.0: o.v1.0.0 - -',
      'candidate-v1.0: o.v1.0.1 - o.v1.0.0',
      'candidate-v1.1: o.v1.1.0 o.v1.0.1 -',
      'stable-v1.0: o.v1.0.1 - -',
    ])
    expect(rendered(template(''))).toEqual(rendered(template('generateminorchannels: true')))
  })

  test('major channels', () => {
    const names = rendered(template('GenerateMajorChannels: true\nGenerateMinorChannels: false')).channels.map(
      ({ name }) => name,
    )
    expect(names).toEqual(['candidate-v0', 'candidate-v1', 'stable-v1'])
  })

  test('an image without a version in its tag is refused', () => {
    expect(() => rendered('schema: olm.semver\nStable:\n  Bundles:\n  - Image: quay.io/foo@sha256:12\n')).toThrow(
      /want a tag that is a version/,
    )
  })
})

describe('the graph of the known releases', () => {
  test('leads from every release to the newest one', () => {
    const graph = releaseGraph()
    const newest = RELEASES.at(-1)!.version
    expect(RELEASES.map(({ version }) => shortestPath(graph, version, newest)).includes(undefined)).toBe(false)
    expect(shortestPath(graph, '1.14.0', '1.18.1')?.map(({ to }) => to)).toEqual([
      '1.15.0',
      '1.16.0',
      '1.17.0',
      '1.18.0',
      '1.18.1',
    ])
    expect(graph.channels).toEqual([
      { name: 'candidate', head: newest },
      { name: 'stable', head: '1.18.1' },
    ])
  })
})

test('documents of other schemas are of no package', () => {
  expect(packageOf({ schema: 'olm.csv.metadata', package: PACKAGE })).toBeUndefined()
  expect(packageOf({ schema: 'olm.package', name: PACKAGE })).toBe(PACKAGE)
  expect(packageOf({ schema: 'olm.channel', package: PACKAGE })).toBe(PACKAGE)
  expect(packageOf({ schema: 7, name: 'x' })).toBeUndefined()
})
