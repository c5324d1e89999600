/** Views that somebody gave a name to. Pure. */
export interface SavedView {
  readonly name: string
  /** Of the address, without `?`. */
  readonly search: string
}

/** More are no list that somebody picks from. */
const VIEWS_MAX = 50

/** What was kept on this machine; nothing of it is trusted. */
export function readViews(kept: unknown): readonly SavedView[] {
  if (!Array.isArray(kept)) return []
  return (kept as unknown[]).filter(isView).slice(0, VIEWS_MAX)
}

function isView(kept: unknown): kept is SavedView {
  if (typeof kept !== 'object' || kept === null) return false
  const { name, search } = kept as Record<string, unknown>
  return typeof name === 'string' && name !== '' && typeof search === 'string'
}

/** By name; a view of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const name = view.name.trim()
  if (name === '') return views
  return [...views.filter((one) => one.name !== name), { ...view, name }]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, VIEWS_MAX)
}

export function withoutView(views: readonly SavedView[], name: string): readonly SavedView[] {
  return views.filter((one) => one.name !== name)
}
