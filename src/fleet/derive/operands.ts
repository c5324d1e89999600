/** The operands of HCO, by the names that upgrades, intervals and modifications use. */
import type { OperandFacts } from '../../model/object-facts.ts'

export const OPERAND_NAMES: Readonly<Record<OperandFacts['kind'], string>> = {
  aaqs: 'aaq',
  cdis: 'cdi',
  hostpathprovisioners: 'hostpath-provisioner',
  kubevirts: 'kubevirt',
  networkaddonsconfigs: 'network-addons',
  ssps: 'ssp',
}

export const OPERAND_KINDS = Object.keys(OPERAND_NAMES) as OperandFacts['kind'][]

/** `KubeVirt/kubevirt-kubevirt-hyperconverged` is `kubevirt`; other kinds keep their kind and name, in lower case. */
export function componentOf(kindAndName: string): string {
  const text = kindAndName.toLowerCase()
  const [kind] = text.split('/', 1)
  return (text.includes('/') ? BY_KIND.get(`${kind!}s`) : BY_NAME.get(text)) ?? text
}

const BY_KIND: ReadonlyMap<string, string> = new Map(Object.entries(OPERAND_NAMES))

/** The names that HCO gives; before HCO 1.4 its counter had the name without the kind. */
const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'kubevirt-kubevirt-hyperconverged': 'kubevirt',
    'cdi-kubevirt-hyperconverged': 'cdi',
    'ssp-kubevirt-hyperconverged': 'ssp',
  }),
)
