/**
 * Scopes: the part of the fleet that a principal may see. A selector is a list of conditions on one cluster
 * (`region=eu&environment=prod-*`), all of which must hold; a scope is the union of its selectors. Plain data: it crosses
 * threads. Which clusters a scope has at a moment follows from what is known of them: `fleet/scope/cluster-scopes.ts`.
 */
import { CLUSTER_LABEL } from './cluster-identity.ts'
import type { ClusterRecord } from './cluster-record.ts'
import type { Matcher } from './matcher.ts'

/** What a condition can test, as the list of clusters shows it. `cluster` is the name, not another name that it goes by. */
export const SELECTOR_KEYS = ['cluster', 'region', 'provider', 'environment', 'flavour', 'platform'] as const
type SelectorKey = (typeof SELECTOR_KEYS)[number]

/** `pattern`: a text in which `*` stands for any text. An unknown value matches no pattern. */
export interface ClusterCondition {
  readonly key: SelectorKey
  readonly pattern: string
}

/** At least one condition. */
export type ClusterSelector = readonly ClusterCondition[]

/** At least one selector. */
export type ClusterSelectors = readonly ClusterSelector[]

/** What is asked of another thread for one scope; absent: for all clusters. */
export interface ScopeAddress {
  readonly clusters?: ClusterSelectors
}

/** The clusters of a request, as of its start. */
export interface ClusterScope extends ScopeAddress {
  /** @param cluster a name of the cluster; empty: what belongs to no cluster */
  includes(cluster: string): boolean
}

export const ALL_CLUSTERS: ClusterScope = { includes: () => true }

export function isWhole({ clusters }: ScopeAddress): boolean {
  return clusters === undefined
}

/** The most conditions of one scope: each is tested on every cluster. */
const CONDITIONS_MAX = 1000

export const SELECTOR_WANTED = `conditions KEY=PATTERN joined by &, such as region=eu&environment=prod-*; KEY is one of ${SELECTOR_KEYS.join(', ')}`

/** Selectors separated by commas. `undefined`: one of them is not what `SELECTOR_WANTED` says, or there are too many. */
export function parseSelectors(text: string): ClusterSelectors | undefined {
  const selectors = text.split(',').map(parseSelector)
  const read = selectors.filter((selector) => selector !== undefined)
  return read.length < selectors.length || read.flat().length > CONDITIONS_MAX ? undefined : read
}

/** One selector of the text form. */
export function parseSelector(text: string): ClusterSelector | undefined {
  const conditions = text.split('&').map((part): ClusterCondition | undefined => {
    const at = part.indexOf('=')
    const key = SELECTOR_KEYS.find((known) => known === part.slice(0, Math.max(0, at)).trim())
    const pattern = part.slice(at + 1).trim()
    return key === undefined || pattern === '' ? undefined : { key, pattern }
  })
  const read = conditions.filter((condition) => condition !== undefined)
  return read.length < conditions.length ? undefined : read
}

export function formatSelectors(selectors: ClusterSelectors): string {
  return selectors.map(formatSelector).join(',')
}

export function formatSelector(selector: ClusterSelector): string {
  return selector.map(({ key, pattern }) => `${key}=${pattern}`).join('&')
}

type SelectedCluster = Pick<ClusterRecord, 'cluster'> &
  Partial<Pick<ClusterRecord, 'region' | 'provider' | 'environment' | 'flavour' | 'platform'>>

/** Whether one of the selectors selects the cluster. */
export function selects(selectors: ClusterSelectors, cluster: SelectedCluster): boolean {
  return selectors.some((conditions) =>
    conditions.every(({ key, pattern }) => {
      const value = key === 'platform' ? cluster.platform?.kind : cluster[key]
      return value !== undefined && matchesPattern(value, pattern)
    }),
  )
}

/** Linear in the text for each `*`: every part is found at its first place. */
function matchesPattern(text: string, pattern: string): boolean {
  const parts = pattern.split('*')
  const [first, last] = [parts[0]!, parts.at(-1)!]
  if (parts.length === 1) return text === pattern
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** Texts joined by `|`, without any character of a pattern but `\\.`, `\\-` and `\\/`, which stand for themselves. */
const TEXTS = /^(?:[^\\.+*?()[\]{}^$|]|\\[.\-/])+(?:\|(?:[^\\.+*?()[\]{}^$|]|\\[.\-/])+)*$/s

/**
 * The clusters to which matchers are limited by `cluster="x"` or `cluster=~"x|y"`; `undefined`: they may match alerts of any
 * cluster.
 */
export function pinnedClusters(matchers: readonly Matcher[]): readonly string[] | undefined {
  for (const { name, op, value } of matchers) {
    if (name !== CLUSTER_LABEL || value === '') continue
    if (op === '=') return [value]
    if (op === '=~' && TEXTS.test(value)) return value.split('|').map((text) => text.replaceAll('\\', ''))
  }
  return undefined
}
