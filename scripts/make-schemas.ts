/**
 * Makes `src/fleet/data/schemas/` of a folder with the fields of the custom resources by HCO version: one JSON file per API
 * (`kubevirt_kubevirt.io_v1.json`), `versions` in order, and `fields` by path (`a.b[]` is an item of an array, `a.*` a value
 * of a map), each with its definitions: type, default, enum, `open`, and the ranges of HCO versions that have it.
 * The result is a tree, so that no name is repeated; it leaves out ranges that equal the parent's, and defaults of objects, which repeat
 * those of their fields. Run by hand, with the folder as argument: `node --import tsx scripts/make-schemas.ts FOLDER`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

interface Definition {
  readonly type: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly open?: boolean
  readonly in: readonly string[]
}

interface Source {
  readonly versions: readonly string[]
  readonly fields: Readonly<Record<string, readonly Definition[]>>
}

interface Node {
  type?: string
  default?: unknown
  enum?: readonly unknown[]
  open?: true
  in?: readonly string[]
}

type Tree = { is: Node | Node[]; fields?: Record<string, Tree> }

/** The APIs that HCO writes, and those of HyperConverged. Those left out have the same fields, or were never written. */
const APIS = [
  ['kubevirt_kubevirt.io_v1', 'kubevirt-v1'],
  ['cdi_cdi.kubevirt.io_v1beta1', 'cdi-v1beta1'],
  ['cnao_networkaddonsoperator.network.kubevirt.io_v1', 'network-addons-v1'],
  ['ssp_ssp.kubevirt.io_v1beta1', 'ssp-v1beta1'],
  ['ssp_ssp.kubevirt.io_v1beta2', 'ssp-v1beta2'],
  ['ssp_ssp.kubevirt.io_v1beta3', 'ssp-v1beta3'],
  ['hco_hco.kubevirt.io_v1beta1', 'hyperconverged-v1beta1'],
  ['hco_hco.kubevirt.io_v1', 'hyperconverged-v1'],
] as const

/** The source does not list what is below these. */
const CUT_OFF = new Set(['nodePlacement', 'affinity', 'tolerations', 'nodeSelector', 'placement'])

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('the folder with the fields is missing: node scripts/make-schemas.ts FOLDER')
const target = resolve(import.meta.dirname, '../src/fleet/data/schemas')

let versions: readonly string[] = []
for (const [from, to] of APIS) {
  const source = JSON.parse(readFileSync(join(folder, `${from}.json`), 'utf8')) as Source
  if (versions.length > 0 && versions.join() !== source.versions.join()) throw new Error(`${from} has other versions`)
  versions = source.versions
  const root = treeOf(source.fields).fields!['spec']!
  write(to, `{"fields":{\n${lines(root.fields!)}\n},"is":${JSON.stringify(root.is)}}\n`)
}
write('versions', `${JSON.stringify(versions)}\n`)

function write(name: string, text: string): void {
  writeFileSync(join(target, `${name}.json`), text)
}

/** A field of the specification per line, so that a change is a few lines. */
function lines(fields: Readonly<Record<string, Tree>>): string {
  return Object.entries(fields)
    .map(([name, tree]) => `${JSON.stringify(name)}:${JSON.stringify(tree)}`)
    .join(',\n')
}

function treeOf(fields: Source['fields']): Tree {
  const root: Tree = { is: {} }
  for (const path of Object.keys(fields).sort()) {
    let at = root
    let ranges: readonly string[] = []
    const names = path.replaceAll('[]', '.[]').split('.')
    for (const [i, name] of names.entries()) {
      at.fields ??= {}
      const known = at.fields[name]
      const definitions =
        fields[
          names
            .slice(0, i + 1)
            .join('.')
            .replaceAll('.[]', '[]')
        ]
      if (definitions === undefined) throw new Error(`${path}: ${name} has no definition`)
      at = known ?? (at.fields[name] = { is: nodesOf(definitions, ranges, isCutOff(path, name, fields)) })
      ranges = definitions.flatMap((one) => one.in)
    }
  }
  return root
}

function isCutOff(path: string, name: string, fields: Source['fields']): boolean {
  return (
    CUT_OFF.has(name) &&
    !Object.keys(fields).some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[`))
  )
}

function nodesOf(definitions: readonly Definition[], ofParent: readonly string[], isOpen: boolean): Node | Node[] {
  const byText = new Map<string, { node: Node; in: string[] }>()
  for (const one of definitions) {
    const node: Node = {
      ...(one.type === 'object' ? {} : { type: one.type }),
      ...(one.default === undefined || one.type === 'object' ? {} : { default: one.default }),
      ...(one.enum === undefined ? {} : { enum: [...new Set(one.enum)] }),
      ...(one.open === true || isOpen ? { open: true } : {}),
    }
    const text = JSON.stringify(node)
    byText.set(text, { node, in: [...(byText.get(text)?.in ?? []), ...one.in] })
  }
  const nodes = [...byText.values()].map((one): Node => {
    const ranges = joined(one.in)
    return byText.size === 1 && ranges.join() === joined(ofParent).join() ? one.node : { ...one.node, in: ranges }
  })
  return nodes.length === 1 ? nodes[0]! : nodes
}

/** Ranges in the order of the versions, adjacent ones as one. */
function joined(ranges: readonly string[]): readonly string[] {
  const has = versions.map((_, i) =>
    ranges.some((range) => {
      const [first, last = first] = range.split('..') as [string, string?]
      return versions.indexOf(first) <= i && i <= versions.indexOf(last)
    }),
  )
  return versions.flatMap((first, i) => {
    if (has[i] !== true || has[i - 1] === true) return []
    const end = has.indexOf(false, i)
    const last = versions[(end < 0 ? versions.length : end) - 1]!
    return [first === last ? first : `${first}..${last}`]
  })
}
