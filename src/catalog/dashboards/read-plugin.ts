import { partAt, reportUnsupported, textAt, type Part, sourceAt, start, yamlTextAt } from './part.ts'

/** `kind` and `spec`, the pair of which every part of a Perses dashboard consists. */
import { nearest } from '../../base/nearest.ts'
import type { UnknownPart } from '../../model/dashboard.ts'

/** One row per kind: the keys of its `spec` and how they are read. */
export type Kinds<T> = Readonly<Record<string, { readonly keys: readonly string[]; readonly read: (spec: Part) => T }>>

/** @param what its name in messages: `the panel cpu` */
export function readPlugin<T>(plugin: Part, what: string, kinds: Kinds<T>): T | UnknownPart {
  const kind = yamlTextAt(plugin, 'kind')
  if (kind === undefined || kind.text === '') {
    plugin.yaml.error(start(plugin.at), `${what} has no kind`)
    return { kind: 'unknown', name: '', spec: '' }
  }
  const known = Object.hasOwn(kinds, kind.text) ? kinds[kind.text] : undefined
  if (known !== undefined) {
    return known.read(partAt(plugin, 'spec', `${kind.text} of ${what}`, known.keys))
  }
  const [near] = nearest(kind.text, Object.keys(kinds), 1)
  const help = near === undefined ? `known here: ${Object.keys(kinds).join(', ')}` : `did you mean ${near}?`
  plugin.yaml.warning(kind, `unknown kind ${kind.text}`, help)
  return { kind: 'unknown', name: kind.text, spec: sourceAt(plugin, 'spec') }
}

/** Reports a data source other than the default, which is this server. */
export function reportOtherSource(part: Part): void {
  const source = partAt(part, 'datasource', `the datasource of ${part.what}`, ['kind', 'name'])
  const name = textAt(source, 'name')
  if (name !== '') reportUnsupported(part, 'datasource', `it is asked of this server, not of ${name}`)
}
