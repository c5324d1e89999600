/**
 * The placeholders of a runbook page, `{{name}}`: one table, for the checks of pages and for the documentation. Go
 * templates (`{{ .status }}`, `{{ $value }}`) have another syntax and are not changed.
 */
interface PlaceholderKind {
  readonly meaning: string
  /** A valid value, for checking the page's PromQL. */
  readonly sample: string
}

export const PLACEHOLDERS = {
  cluster: { meaning: 'The cluster key.', sample: 'prague-prod-1' },
  cluster_id: {
    meaning: 'The ID that the cluster sends with its name.',
    sample: '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d',
  },
  namespace: {
    meaning: "The alert's namespace: the operator's, or the VM's; else the operator's from the inventory.",
    sample: 'openshift-cnv',
  },
  alertname: { meaning: "The alert's name.", sample: 'KubeVirtCRModified' },
  severity: { meaning: "The alert's severity.", sample: 'warning' },
  value: { meaning: "The alert's present value.", sample: '1' },
  since: { meaning: "When the alert's expression first held, in UTC.", sample: '2026-08-20T10:00:00Z' },
  component_name: {
    meaning: 'The changed object as the operator names it.',
    sample: 'kubevirt/kubevirt-kubevirt-hyperconverged',
  },
  component_kind: { meaning: 'Its kind in lower case, from `component_name`.', sample: 'kubevirt' },
  component_object: {
    meaning: 'Its name without the kind, from `component_name`.',
    sample: 'kubevirt-kubevirt-hyperconverged',
  },
  annotation_name: { meaning: 'The annotation with the JSON patch.', sample: 'kubevirt.kubevirt.io/jsonpatch' },
  annotation_operand: { meaning: 'The kind that annotation patches, from `annotation_name`.', sample: 'kubevirt' },
  data_import_cron_name: { meaning: 'The data import cron of a golden image.', sample: 'fedora-image-cron' },
  managed_data_source_name: { meaning: 'The data source of a golden image.', sample: 'fedora' },
  name: { meaning: 'The name of the VM, or of the object that the alert is about.', sample: 'db-0' },
  machine_type: { meaning: 'The machine type of the VM.', sample: 'pc-q35-rhel8.6.0' },
  hazard: { meaning: 'The hazard of an upgrade.', sample: 'paused_pool' },
  target: { meaning: 'The version that a cluster can be upgraded to.', sample: '1.20.0' },
  cron_name: { meaning: 'The data import cron that is out of date.', sample: 'fedora-image-cron' },
  storageclass: { meaning: 'The storage class.', sample: 'ceph-rbd' },
  provisioner: { meaning: 'The provisioner of that storage class.', sample: 'rbd.csi.ceph.com' },
  persistentvolumeclaim: { meaning: 'The claim of a volume.', sample: 'db-0-disk' },
  node: { meaning: 'The node.', sample: 'worker-1' },
  vm: { meaning: 'The name of the VM, from the label `vm` or `vmi`.', sample: 'db-0' },
  status: { meaning: 'The status of the VM, in lower case.', sample: 'provisioning' },
  mount_point: { meaning: "Where a guest's file system is mounted.", sample: '/var' },
  disk_name: { meaning: "The guest's name of the disk.", sample: 'vda1' },
  resource: { meaning: 'The resource of an API, in the plural.', sample: 'virtualmachines' },
  cpu: { meaning: 'A processor of a node.', sample: '12' },
  instance: {
    meaning: 'The target that was scraped: the Daytwo server an alert is about, or a node.',
    sample: '127.0.0.1:4318',
  },
  reason: { meaning: 'The reason that the metric behind the alert gives.', sample: 'out_of_order' },
  version: { meaning: 'The version that the alert is about.', sample: '4.20.3' },
  phase: { meaning: 'The phase an operator version or an upgrade is in.', sample: 'Pending' },
  risk: { meaning: 'The risk of an update.', sample: 'SlowDiskRisk' },
  minor: { meaning: 'The minor version that the alert is about.', sample: '4.19' },
  platform_minor: { meaning: 'The minor version of the platform below it.', sample: '4.20' },
  operator: { meaning: 'The operator that is upgraded.', sample: 'kubevirt-hyperconverged' },
  from: { meaning: 'The version an upgrade starts from.', sample: '1.16.0' },
  to: { meaning: 'The version an upgrade goes to.', sample: '1.17.0' },
  component: { meaning: 'The operand that the alert is about, by its short name.', sample: 'cdi' },
  group: { meaning: 'The group of rules, or of an API.', sample: 'kubevirt' },
  receiver: { meaning: 'The receiver of the failed notification.', sample: 'oncall' },
  hco_version: { meaning: 'Version of HCO, from the inventory.', sample: '1.17.0' },
  kubevirt_version: { meaning: 'Version of KubeVirt, from the inventory.', sample: 'v1.7.1' },
  channel: { meaning: "The subscription's channel, from the inventory.", sample: 'stable' },
  approval: { meaning: 'How updates are approved, from the inventory.', sample: 'Automatic' },
} as const satisfies Record<string, PlaceholderKind>

export type PlaceholderName = keyof typeof PLACEHOLDERS

export function isPlaceholderName(name: string): name is PlaceholderName {
  return Object.hasOwn(PLACEHOLDERS, name)
}

/** One use of a placeholder. `from` inclusive, `to` exclusive, offsets into the searched text. */
export interface PlaceholderUse {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** All placeholders of a text in order, known or not. */
export function placeholdersOf(text: string): PlaceholderUse[] {
  return [...text.matchAll(/\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/g)].map((match) => ({
    name: match[1]!,
    from: match.index,
    to: match.index + match[0].length,
  }))
}

/** The text of an unbound placeholder. */
export function unboundText(name: string): string {
  return `<${name}>`
}
