/** The operands HCO looks after, under the names upgrades, intervals and modifications use. */
import type { OperandFacts } from '../../model/object-facts.ts'

export const OPERAND_NAMES: Readonly<Record<OperandFacts['kind'], string>> = {
  kubevirts: 'kubevirt',
  cdis: 'cdi',
  ssps: 'ssp',
  networkaddonsconfigs: 'network-addons',
  hostpathprovisioners: 'hostpath-provisioner',
  aaqs: 'aaq',
}

export const OPERAND_KINDS = Object.keys(OPERAND_NAMES) as OperandFacts['kind'][]

/** By the kind as it is written in an object, in lower case. */
const BY_KIND: Readonly<Record<string, string>> = {
  kubevirt: 'kubevirt',
  cdi: 'cdi',
  ssp: 'ssp',
  networkaddonsconfig: 'network-addons',
  hostpathprovisioner: 'hostpath-provisioner',
  aaq: 'aaq',
}

/** `KubeVirt/kubevirt-kubevirt-hyperconverged` is `kubevirt`; what is no operand keeps its kind and name. */
export function componentOf(kindAndName: string): string {
  const text = kindAndName.toLowerCase()
  const [kind] = text.split('/', 1)
  return text.includes('/') ? (BY_KIND[kind!] ?? text) : (BY_NAME[text] ?? text)
}

/** As HCO names them; before HCO 1.4 its counter told the name alone. */
const BY_NAME: Readonly<Record<string, string>> = {
  'kubevirt-kubevirt-hyperconverged': 'kubevirt',
  'cdi-kubevirt-hyperconverged': 'cdi',
  'ssp-kubevirt-hyperconverged': 'ssp',
}
