import type { Check } from '../../rules/checks/check.ts'
import { languageOf } from '../bound-text.ts'
import { onPage, type CatalogContent } from './catalog-content.ts'

export const commandTwin: Check<CatalogContent> = {
  name: 'command-twin',
  title: 'A command is there for kubectl or for oc alone',
  severity: 'error',
  why: 'A page is read on plain Kubernetes and on OpenShift. What stands in a fence ` ```bash kubectl ` is shown for both; in a plain one it is shown as it is typed.',
  mend: 'Write the command with `kubectl` in a fence ` ```bash kubectl `. What only one of them can do (`oc adm`, `oc debug`, `virtctl`, anything in a namespace `openshift-...`) stays in a plain fence.',
  example: '```bash\nkubectl get hyperconverged -A\n```',
  run: ({ pages }) =>
    [...pages.values()].flatMap((page) =>
      page.blocks.flatMap((block) => {
        if (block.kind !== 'fence' || languageOf(block) !== 'shell') return []
        const isTwin = /\bkubectl\b/.test(block.info)
        const text = page.text.slice(block.contentFrom, block.contentTo)
        const wrong = isTwin
          ? /(?:^|[|;&(]\s*|\$\s)(oc)\s/gm
          : /(?:^|[|;&(]\s*|\$\s)(kubectl|oc(?!\s+(?:adm|debug|image|login|project|whoami|start-build)))\s/gm
        const found = [...text.matchAll(wrong)].filter((match) => isTwin || !isOpenShifts(text, match.index))
        return found.slice(0, 1).map((match) => {
          const program = match[1]!
          const from = block.contentFrom + match.index + match[0].indexOf(program)
          const message = isTwin
            ? 'this fence is written for kubectl, and the command is for oc'
            : `the command is for ${program} alone`
          return onPage(
            page,
            { from, to: from + program.length },
            message,
            'write it for kubectl in a fence ```bash kubectl',
          )
        })
      }),
    ),
}

/** A command for a namespace of OpenShift, or with features that only `oc` has, needs no twin. */
function isOpenShifts(text: string, at: number): boolean {
  const lineFrom = text.lastIndexOf('\n', at) + 1
  const lineEnd = text.indexOf('\n', at + 1)
  return /\bopenshift-|\boc\s+(?:adm|debug|image)\b/.test(text.slice(lineFrom, lineEnd === -1 ? text.length : lineEnd))
}
