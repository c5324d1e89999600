/** Preferences of the cluster list, stored in the browser: visible columns, and named views. Pure. */
export const CLUSTER_COLUMNS = [
  { name: 'state', title: 'State' },
  { name: 'version', title: 'Version' },
  { name: 'kubevirt', title: 'KubeVirt' },
  { name: 'platform', title: 'Platform' },
  { name: 'channel', title: 'Channel' },
  { name: 'approval', title: 'Approval' },
  { name: 'flavour', title: 'Flavour' },
  { name: 'upgrade', title: 'Active upgrade' },
  { name: 'alerts', title: 'Alerts' },
  { name: 'outdated', title: 'Outdated VMs' },
  { name: 'region', title: 'Region' },
  { name: 'provider', title: 'Provider' },
  { name: 'environment', title: 'Environment' },
  { name: 'heard', title: 'Data sources' },
  { name: 'seen', title: 'Last seen' },
] as const

export type ClusterColumn = (typeof CLUSTER_COLUMNS)[number]['name']

export const FIRST_COLUMNS: readonly ClusterColumn[] = [
  'state',
  'version',
  'platform',
  'channel',
  'upgrade',
  'alerts',
  'outdated',
  'region',
  'seen',
]

/** In the order of the table, without unknown columns. */
export function readColumns(kept: unknown): readonly ClusterColumn[] {
  if (!Array.isArray(kept)) return FIRST_COLUMNS
  return CLUSTER_COLUMNS.map(({ name }) => name).filter((name) => (kept as unknown[]).includes(name))
}

/** A named view. */
export interface SavedView {
  readonly name: string
  /** The query string without `?`. */
  readonly search: string
}

const VIEWS_MAX = 50

/** The stored value is not trusted. */
export function readViews(kept: unknown): readonly SavedView[] {
  if (!Array.isArray(kept)) return []
  return (kept as unknown[]).filter(isView).slice(0, VIEWS_MAX)
}

function isView(kept: unknown): kept is SavedView {
  if (typeof kept !== 'object' || kept === null) return false
  const { name, search } = kept as Record<string, unknown>
  return typeof name === 'string' && name !== '' && typeof search === 'string'
}

/** Sorted by name; replaces a view of the same name. */
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
