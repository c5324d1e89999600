import type { Check } from '../../rules/checks/check.ts'
import { languageOf } from '../bound-text.ts'
import { onPage, type CatalogContent } from './catalog-content.ts'

export const commandKind: Check<CatalogContent> = {
  name: 'command-kind',
  title: 'A command asks for a component under the wrong kind',
  severity: 'error',
  why: '`kubectl get deployment virt-handler` answers "not found", and the reader believes that virt-handler is gone. It is a DaemonSet.',
  mend: 'Use the kind that the component has.',
  example: 'kubectl logs -n {{namespace}} deployment/virt-handler',
  run: ({ pages }) =>
    [...pages.values()].flatMap((page) =>
      page.blocks.flatMap((block) => {
        if (block.kind !== 'fence' || languageOf(block) !== 'shell') return []
        const text = page.text.slice(block.contentFrom, block.contentTo)
        return [...text.matchAll(ASKED)].flatMap((match) => {
          const [words, typed = '', name = ''] = match
          const kind = KIND_OF[name]
          const asked = KIND_NAMES[typed.toLowerCase()]
          if (kind === undefined || asked === undefined || asked === kind) return []
          const from = block.contentFrom + match.index
          return [onPage(page, { from, to: from + words.length }, `${name} is a ${kind}, not a ${asked}`)]
        })
      }),
    ),
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  ...{ deployment: 'Deployment', deployments: 'Deployment', deploy: 'Deployment' },
  ...{ daemonset: 'DaemonSet', daemonsets: 'DaemonSet', ds: 'DaemonSet' },
  ...{ statefulset: 'StatefulSet', statefulsets: 'StatefulSet', sts: 'StatefulSet' },
}

const DEPLOYMENTS = [
  ...['virt-api', 'virt-controller', 'virt-operator', 'virt-exportproxy'],
  ...['hco-operator', 'hco-webhook', 'hyperconverged-cluster-cli-download'],
  ...['cdi-operator', 'cdi-apiserver', 'cdi-deployment', 'cdi-uploadproxy'],
  ...['ssp-operator', 'virt-template-validator', 'cluster-network-addons-operator'],
  ...['kubemacpool-mac-controller-manager', 'kubemacpool-cert-manager', 'hostpath-provisioner-operator'],
]
const DAEMON_SETS = ['virt-handler', 'bridge-marker', 'kube-cni-linux-bridge-plugin', 'wasp-agent']

const KIND_OF: Readonly<Record<string, string>> = Object.fromEntries([
  ...DEPLOYMENTS.map((name) => [name, 'Deployment'] as const),
  ...DAEMON_SETS.map((name) => [name, 'DaemonSet'] as const),
])

const ASKED =
  /\b(deployments?|deploy|daemonsets?|ds|statefulsets?|sts)(?:\.apps)?(?:\/|\s+)([a-z][a-z0-9-]*[a-z0-9])(?![\w-])/gi
