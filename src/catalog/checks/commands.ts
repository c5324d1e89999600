/** Checks of the commands in shell fences. */
import type { Check } from '../../rules/checks/check.ts'
import { languageOf } from '../bound-text.ts'
import type { Fence } from '../markdown-scan.ts'
import type { RunbookPage } from '../runbook-page.ts'
import { onPage, type CatalogContent } from './catalog-content.ts'

function shellFences({
  pages,
}: CatalogContent): { readonly page: RunbookPage; readonly fence: Fence; readonly text: string }[] {
  return [...pages.values()].flatMap((page) =>
    page.blocks
      .filter((block) => block.kind === 'fence')
      .filter((fence) => languageOf(fence) === 'shell')
      .map((fence) => ({ page, fence, text: page.text.slice(fence.contentFrom, fence.contentTo) })),
  )
}

export const commandKind: Check<CatalogContent> = {
  name: 'command-kind',
  title: 'A command uses the wrong kind for a component',
  severity: 'error',
  why: '`kubectl get deployment virt-handler` returns "not found", because virt-handler is a DaemonSet.',
  fix: 'Use the kind of the component.',
  example: 'kubectl logs -n {{namespace}} deployment/virt-handler',
  *run(content) {
    for (const { page, fence, text } of shellFences(content)) {
      for (const match of text.matchAll(KIND_AND_NAME)) {
        const [words, typed = '', name = ''] = match
        const kind = KIND_OF.get(name)
        const typedKind = KIND_NAMES.get(typed.toLowerCase())
        if (kind === undefined || typedKind === undefined || typedKind === kind) continue
        const from = fence.contentFrom + match.index
        yield onPage(page, { from, to: from + words.length }, `${name} is a ${kind}, not a ${typedKind}`)
      }
    }
  },
}

const KIND_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ...{ deployment: 'Deployment', deployments: 'Deployment', deploy: 'Deployment' },
    ...{ daemonset: 'DaemonSet', daemonsets: 'DaemonSet', ds: 'DaemonSet' },
    ...{ statefulset: 'StatefulSet', statefulsets: 'StatefulSet', sts: 'StatefulSet' },
  }),
)

const DEPLOYMENTS = [
  ...['virt-api', 'virt-controller', 'virt-operator', 'virt-exportproxy'],
  ...['hco-operator', 'hco-webhook', 'hyperconverged-cluster-cli-download'],
  ...['cdi-operator', 'cdi-apiserver', 'cdi-deployment', 'cdi-uploadproxy'],
  ...['ssp-operator', 'virt-template-validator', 'cluster-network-addons-operator'],
  ...['kubemacpool-mac-controller-manager', 'kubemacpool-cert-manager', 'hostpath-provisioner-operator'],
]
const DAEMON_SETS = ['virt-handler', 'bridge-marker', 'kube-cni-linux-bridge-plugin', 'wasp-agent']

const KIND_OF: ReadonlyMap<string, string> = new Map([
  ...DEPLOYMENTS.map((name) => [name, 'Deployment'] as const),
  ...DAEMON_SETS.map((name) => [name, 'DaemonSet'] as const),
])

const KIND_AND_NAME =
  /\b(deployments?|deploy|daemonsets?|ds|statefulsets?|sts)(?:\.apps)?(?:\/|\s+)([a-z][a-z0-9-]*[a-z0-9])(?![\w-])/gi

export const commandTwin: Check<CatalogContent> = {
  name: 'command-twin',
  title: 'A command works only with kubectl or only with oc',
  severity: 'error',
  why: 'A page is for Kubernetes and for OpenShift. A command in a fence ` ```bash kubectl ` is shown for both programs; a command in a plain fence is shown unchanged.',
  fix: 'Write the command with `kubectl` in a fence ` ```bash kubectl `. Use a plain fence for commands of one program (`oc adm`, `oc debug`, `virtctl`, namespaces `openshift-...`).',
  example: '```bash\nkubectl get hyperconverged -A\n```',
  *run(content) {
    for (const { page, fence, text } of shellFences(content)) {
      const isTwin = /\bkubectl\b/.test(fence.info)
      const wrong = isTwin
        ? /(?:^|[|;&(]\s*|\$\s)(oc)\s/gm
        : /(?:^|[|;&(]\s*|\$\s)(kubectl|oc(?!\s+(?:adm|debug|image|login|project|whoami|start-build)))\s/gm
      const first = [...text.matchAll(wrong)].find((match) => isTwin || !isOpenShifts(text, match.index))
      if (first === undefined) continue
      const program = first[1]!
      const from = fence.contentFrom + first.index + first[0].indexOf(program)
      const message = isTwin
        ? 'this fence is written for kubectl, and the command is for oc'
        : `the command is for ${program} alone`
      const help = 'write it for kubectl in a fence ```bash kubectl'
      yield onPage(page, { from, to: from + program.length }, message, help)
    }
  },
}

/** A command for a namespace of OpenShift, or with features that only `oc` has, needs no twin. */
function isOpenShifts(text: string, at: number): boolean {
  const lineFrom = text.lastIndexOf('\n', at) + 1
  const lineEnd = text.indexOf('\n', at + 1)
  return /\bopenshift-|\boc\s+(?:adm|debug|image)\b/.test(text.slice(lineFrom, lineEnd === -1 ? text.length : lineEnd))
}
