/** Fields of the operands whose patch is dangerous, or which are no interface. Each row holds for the field and all below it. */

export interface HazardPath {
  readonly component: string
  /** Below `spec`, with dots. */
  readonly path: string
  readonly class: 'dangerous' | 'fragile'
  /** The consequence. */
  readonly text: string
  /** Only for these values; absent: for all. */
  readonly isFor?: (value: unknown) => boolean
}

const isTrue = (value: unknown): boolean => value === true
const removesWorkloads = (value: unknown): boolean => value === 'RemoveWorkloads'

const TLS =
  'Security: HCO no longer passes on the TLS profile of the cluster, so a stricter profile has no effect here.'
const CERTIFICATES = 'Security: certificates are rotated by this setting, not by HyperConverged.'
const UNINSTALL = 'Removing HyperConverged deletes all VMs without a confirmation.'
const COMPONENTS =
  'The patch changes the objects that the operator deploys. The next version may deploy other objects, containers or arguments.'

const TABLE: readonly (readonly [string, string, HazardPath['class'], string, HazardPath['isFor']?])[] = [
  ['kubevirt', 'configuration.tlsConfiguration', 'dangerous', TLS],
  ['kubevirt', 'certificateRotateStrategy', 'dangerous', CERTIFICATES],
  ['kubevirt', 'configuration.seccompConfiguration', 'dangerous', 'Security: the seccomp profile of VMs is replaced.'],
  ['kubevirt', 'configuration.selinuxLauncherType', 'dangerous', 'Security: the SELinux type of VMs is replaced.'],
  ['kubevirt', 'configuration.roleAggregationStrategy', 'dangerous', 'Security: roles of users of VMs change.'],
  ['kubevirt', 'imageRegistry', 'dangerous', 'Security: images come from another registry than those of the release.'],
  [
    'kubevirt',
    'imageTag',
    'dangerous',
    'Security: images are of another version than the release, also after an upgrade.',
  ],
  [
    'kubevirt',
    'configuration.migrations.disableTLS',
    'dangerous',
    'Security: VM memory is migrated unencrypted.',
    isTrue,
  ],
  [
    ...(['kubevirt', 'configuration.migrations.unsafeMigrationOverride', 'dangerous'] as const),
    'Migration: VMs whose storage is not shared are migrated, which can corrupt their disks.',
    isTrue,
  ],
  [
    ...(['kubevirt', 'configuration.migrations.allowPostCopy', 'dangerous'] as const),
    'Migration: a VM is lost if the network fails while its memory is copied after the switch.',
    isTrue,
  ],
  [
    ...(['kubevirt', 'configuration.evictionStrategy', 'dangerous'] as const),
    'Eviction: this decides whether VMs migrate, stop or block when a node is drained, for each node of an upgrade.',
  ],
  [
    ...(['kubevirt', 'workloadUpdateStrategy', 'dangerous'] as const),
    'Migration: this decides how VMs reach the new virt-launcher after an upgrade.',
  ],
  ['kubevirt', 'uninstallStrategy', 'dangerous', UNINSTALL, removesWorkloads],
  ['kubevirt', 'customizeComponents', 'dangerous', COMPONENTS],
  ['cdi', 'config.tlsSecurityProfile', 'dangerous', TLS],
  ['cdi', 'config.insecureRegistries', 'dangerous', 'Security: images are imported without verifying the registry.'],
  ['cdi', 'certConfig', 'dangerous', CERTIFICATES],
  [
    'cdi',
    'uninstallStrategy',
    'dangerous',
    'Removing HyperConverged deletes all DataVolumes without a confirmation.',
    removesWorkloads,
  ],
  ['cdi', 'customizeComponents', 'dangerous', COMPONENTS],
  ['network-addons', 'tlsSecurityProfile', 'dangerous', TLS],
  ['network-addons', 'selfSignConfiguration', 'dangerous', CERTIFICATES],
  ['ssp', 'tlsSecurityProfile', 'dangerous', TLS],
  ...[
    'productName',
    'productVersion',
    'productComponent',
    'serviceMonitorNamespace',
    'monitorNamespace',
    'monitorAccount',
  ].map((path) => ['kubevirt', path, 'fragile', 'HCO sets this field for itself: it is not an interface.'] as const),
]

export const HAZARD_PATHS: readonly (HazardPath & { readonly steps: readonly string[] })[] = TABLE.map(
  ([component, path, kind, text, isFor]) => ({
    ...{ component, path, class: kind, text },
    steps: path.split('.'),
    ...(isFor === undefined ? {} : { isFor }),
  }),
)
