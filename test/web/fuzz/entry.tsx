import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { MarkdownPanel } from '../../../src/web/panels/dashboards/text-panels.tsx'
import { TextLink } from '../../../src/web/panels/dashboards/text-link.tsx'
import { SharedLabels } from '../../../src/web/panels/promql/label-links.tsx'
import { RunbookBody } from '../../../src/web/panels/runbook-body.tsx'
import { FactList } from '../../../src/web/ui/fact-list.tsx'
import type { ShownInput, ShownPage } from '../../fuzz/shown-input.ts'

/**
 * A page that shows texts of strangers, with the components of the product and without its content security policy, so
 * that nothing but the components keeps them from being markup.
 */

declare global {
  interface Window {
    show: (inputs: readonly ShownInput[]) => readonly ShownPage[]
    /** Set by a script that should not have run. */
    ran?: unknown
  }
}

const NO_VALUES = new Map<string, never>()

function Shown({ bound, labels, text }: ShownInput): ReactNode {
  return (
    <article>
      <section>
        <RunbookBody bound={bound} sectionLevel={2} />
      </section>
      <MarkdownPanel text={text} values={NO_VALUES} />
      <SharedLabels labels={labels} />
      <FactList facts={[...new Map(labels)].map(([name, value]) => ({ name, value }))} />
      {labels.map(([, value], i) => (
        <TextLink key={i} href={value} title={value}>
          {value}
        </TextLink>
      ))}
    </article>
  )
}

/** Elements that load or run something. */
const NEVER =
  'script, iframe, object, embed, img, form, base, link, meta, style, svg [href], audio, video, source, math'
const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

function faultsOf(root: Element): string[] {
  const faults = [...root.querySelectorAll(NEVER)].map((element) => `it has ${element.outerHTML.slice(0, 200)}`)
  for (const element of root.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on') || name === 'srcdoc' || (name === 'style' && /url\(|expression/i.test(value)))
        faults.push(`it has the attribute ${name}="${value.slice(0, 200)}"`)
    }
  }
  for (const link of root.querySelectorAll('a')) {
    if (link.hasAttribute('href') && !SCHEMES.has(link.protocol)) faults.push(`it links to ${link.href.slice(0, 200)}`)
    const isForeign = link.protocol !== 'mailto:' && link.origin !== location.origin
    if (isForeign && link.target === '_blank' && !/noreferrer|noopener/.test(link.rel))
      faults.push(`it hands itself to ${link.href.slice(0, 200)}`)
  }
  if (window.ran !== undefined) faults.push(`a script ran: ${JSON.stringify(window.ran)}`)
  return faults
}

/** Marks and the words that are kept on one line follow from the values. */
const OF_VALUES = new Set(['MARK', 'SPAN'])

function shapeOf(root: Element): string {
  return [...root.querySelectorAll('*')]
    .map(({ tagName }) => tagName)
    .filter((name) => !OF_VALUES.has(name))
    .join(' ')
}

const client = new QueryClient({ defaultOptions: { queries: { enabled: false, retry: false } } })
const place = document.getElementById('root')
if (place === null) throw new Error('the page has no element with the id root')
const root = createRoot(place)
let shows = 0

window.show = (inputs) => {
  // Keys of their own, so that no input is shown with what components remember of an earlier one.
  shows++
  flushSync(() => {
    root.render(
      <QueryClientProvider client={client}>
        {inputs.map((input, i) => (
          <Shown key={`${shows} ${i}`} {...input} />
        ))}
      </QueryClientProvider>,
    )
  })
  return [...place.children].map((article) => ({
    faults: faultsOf(article),
    shape: shapeOf(article.firstElementChild ?? article),
  }))
}
