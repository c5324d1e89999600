/** Columns of the list of clusters. Which are shown is the reader's taste. Pure. */
export const CLUSTER_COLUMNS = [
  { name: 'state', title: 'State' },
  { name: 'version', title: 'Version' },
  { name: 'kubevirt', title: 'KubeVirt' },
  { name: 'platform', title: 'Platform' },
  { name: 'channel', title: 'Channel' },
  { name: 'approval', title: 'Approval' },
  { name: 'flavour', title: 'Flavour' },
  { name: 'upgrade', title: 'Upgrade under way' },
  { name: 'alerts', title: 'Alerts' },
  { name: 'outdated', title: 'Outdated VMs' },
  { name: 'region', title: 'Region' },
  { name: 'provider', title: 'Provider' },
  { name: 'environment', title: 'Environment' },
  { name: 'heard', title: 'Heard by' },
  { name: 'seen', title: 'Last heard' },
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

/** In the order of the table, whatever was kept; those of an older program that are no more are left out. */
export function readColumns(kept: unknown): readonly ClusterColumn[] {
  if (!Array.isArray(kept)) return FIRST_COLUMNS
  return CLUSTER_COLUMNS.map(({ name }) => name).filter((name) => (kept as unknown[]).includes(name))
}
