/**
 * Which cluster a client certificate is of. A certificate has names (common name, DNS names, URIs, mail addresses); a
 * pattern says of one kind of name which cluster it stands for.
 */

export const NAME_FIELDS = ['cn', 'dns', 'uri', 'email'] as const
export type NameField = (typeof NAME_FIELDS)[number]

export interface CertificateName {
  readonly field: NameField
  readonly value: string
}

/** `dns:*.clusters.example`: the part at the `*` is the cluster. `dns:agent.example=prague`: the name is that cluster. */
export interface NamePattern {
  readonly field: NameField
  /** What is before and after the cluster; without a `*` the whole name is `before`. */
  readonly before: string
  readonly after?: string
  readonly cluster?: string
}

/** The pattern, or `undefined` when the text is none. */
export function readNamePattern(text: string): NamePattern | undefined {
  const colon = text.indexOf(':')
  const field = NAME_FIELDS.find((known) => known === text.slice(0, colon))
  if (field === undefined) return undefined
  const [, name = '', cluster] = /^([^=]+)(?:=([^=]+))?$/.exec(text.slice(colon + 1)) ?? []
  const [before = '', after, ...more] = name.split('*')
  if (name === '' || more.length > 0 || (after === undefined) === (cluster === undefined)) return undefined
  return { field, before, ...(after !== undefined && { after }), ...(cluster !== undefined && { cluster }) }
}

/** As `readNamePattern` reads it. */
export function namePatternText({ field, before, after, cluster }: NamePattern): string {
  return `${field}:${before}${after === undefined ? '' : `*${after}`}${cluster === undefined ? '' : `=${cluster}`}`
}

/** The one cluster that the names stand for; `undefined` when they stand for none, or for more than one. */
export function clusterOfNames(
  names: readonly CertificateName[],
  patterns: readonly NamePattern[],
): string | undefined {
  const clusters = names.flatMap((name) => patterns.map((pattern) => clusterOf(name, pattern) ?? ''))
  const [cluster, ...others] = new Set(clusters.filter((found) => found !== ''))
  return others.length === 0 ? cluster : undefined
}

/** What a `*` does not match: one label of a host, one segment of a path. */
const SEPARATORS: Readonly<Record<NameField, string>> = { cn: '', dns: '.', uri: '/', email: '@' }

function clusterOf({ field, value }: CertificateName, pattern: NamePattern): string | undefined {
  const { before, after, cluster } = pattern
  if (field !== pattern.field) return undefined
  if (after === undefined) return value === before ? cluster : undefined
  if (value.length <= before.length + after.length || !value.startsWith(before) || !value.endsWith(after))
    return undefined
  const part = value.slice(before.length, value.length - after.length)
  return SEPARATORS[field] !== '' && part.includes(SEPARATORS[field]) ? undefined : part
}
