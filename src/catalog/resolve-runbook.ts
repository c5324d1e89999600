/**
 * Finds the page for the name in a link. Links are typed, shortened and years old, so letter case, `.md` and old names
 * are accepted.
 */
import { nearest } from '../base/nearest.ts'
import type { Catalog } from './catalog.ts'
import type { RunbookPage } from './runbook-page.ts'

type ResolvedRunbook =
  | {
      readonly page: RunbookPage
      /** The requested name is an old name of the alert. */
      readonly isRenamed: boolean
    }
  | { readonly nearest: readonly string[] }

const NEAREST_MAX = 3

/** The name that a link means. */
export function nameInLink(name: string): string {
  return name.trim().replace(/\.md$/i, '')
}

export function resolveRunbook(catalog: Pick<Catalog, 'pages' | 'aliases'>, name: string): ResolvedRunbook {
  const requested = nameInLink(name)
  const current = sameName(catalog.pages, requested)
  if (current !== undefined) return { page: current, isRenamed: false }
  const target = sameName(catalog.aliases, requested)
  const renamed = target === undefined ? undefined : catalog.pages.get(target)
  if (renamed !== undefined) return { page: renamed, isRenamed: true }
  // A mistyped old name leads to the page with the current name.
  const near = nearest(requested, [...catalog.pages.keys(), ...catalog.aliases.keys()], NEAREST_MAX)
  return { nearest: [...new Set(near.map((known) => catalog.aliases.get(known) ?? known))] }
}

/** The value under a name, ignoring letter case; an exact match takes precedence. */
function sameName<T>(byName: ReadonlyMap<string, T>, name: string): T | undefined {
  const exact = byName.get(name)
  if (exact !== undefined) return exact
  const lower = name.toLowerCase()
  return [...byName].find(([known]) => known.toLowerCase() === lower)?.[1]
}
