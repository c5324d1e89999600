/** What operators and components are called where people read. Pure. */

const OPERATORS: Readonly<Record<string, string>> = {
  'kubevirt-hyperconverged': 'HCO',
  hco: 'HCO',
  kubevirt: 'KubeVirt',
  openshift: 'OpenShift',
  cdi: 'CDI',
  ssp: 'SSP',
  cnao: 'CNAO',
  'network-addons': 'CNAO',
  'cluster-network-addons': 'CNAO',
  hpp: 'HPP',
  'hostpath-provisioner': 'HPP',
  aaq: 'AAQ',
}

export function operatorName(operator: string): string {
  return OPERATORS[operator] ?? operator
}

interface UpgradeStep {
  readonly operator: string
  /** Null: unknown. */
  readonly from: string | null
  readonly to: string
}

/** The step of an upgrade: `HCO 1.17.3 → 1.18.1`. */
export function stepText({ operator, from, to }: UpgradeStep): string {
  return `${operatorName(operator)} ${from ?? 'unknown'} → ${to}`
}
