/**
 * The page of a bundle: one file without scripts, which opens from a disk and requests nothing. Its policy forbids both, so
 * that nothing in the data can change it.
 */
import { createHash } from 'node:crypto'
import type { BundleContent } from '../content.ts'
import { chart } from './chart.ts'
import { countOf, timeText } from './format.ts'
import { Html, markup } from './html.ts'
import { markdownHtml } from './markdown.ts'
import { STYLE } from './style.ts'
import {
  alertTable,
  factTable,
  fileTable,
  logTable,
  objectTable,
  requestTable,
  spanTable,
  type ShownFile,
} from './tables.ts'
import { timeline } from './timeline.ts'

export interface PageParts {
  readonly content: BundleContent
  /** Sentences. */
  readonly cuts: readonly string[]
  readonly redaction: string
  /** All members but the page itself, and those with checksums. */
  readonly files: readonly ShownFile[]
  readonly rowsMax: number
}

/** Of the style alone: there is nothing else that a browser would load or run. */
const POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ')

export function* bundlePage(parts: PageParts): Generator<string> {
  const { content } = parts
  const sections = sectionsOf(parts)
  yield markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${content.title} · Evidence bundle</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>
<h1>${content.title}</h1>
<p class="quiet">Evidence bundle of Daytwo ${content.versions.daytwo}, with data from ${timeText(content.window.fromMs)} to ${timeText(content.window.toMs)}, as of ${timeText(content.asOfMs)}</p>
</header>
<nav aria-label="Sections"><ul>
${sections.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>\n`)}</ul></nav>
<main>
`.text
  for (const { id, title, body } of sections) {
    yield markup`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
`.text
    for (const part of body) yield part.text
    yield '</section>\n'
  }
  yield '</main>\n</body>\n</html>\n'
}

interface Section {
  readonly id: string
  readonly title: string
  readonly body: Iterable<Html>
}

function sectionsOf({ content, cuts, redaction, files, rowsMax }: PageParts): readonly Section[] {
  const { facts, phases, window, asOfMs, alerts, objects, samples, spans, logs, rules, runbooks, requests, faults } =
    content
  const all: readonly (Section & { readonly isShown: boolean })[] = [
    {
      ...{ id: 'summary', title: 'Summary', isShown: true },
      body: [
        factTable(facts, 'The subject of this bundle'),
        noteOf('Redaction', [redaction]),
        noteOf('Not complete', [...cuts, ...faults]),
      ],
    },
    { id: 'phases', title: 'Phases', isShown: phases.length > 0, body: [timeline(phases, window, asOfMs)] },
    { id: 'alerts', title: 'Alerts', isShown: true, body: [alertTable(alerts, rowsMax)] },
    { id: 'objects', title: 'Objects', isShown: true, body: objectTable(objects, rowsMax) },
    {
      ...{ id: 'samples', title: 'Samples', isShown: true },
      body: samplesOf(samples, window),
    },
    { id: 'trace', title: 'Trace', isShown: true, body: spanTable(spans, rowsMax) },
    { id: 'logs', title: 'Log records', isShown: true, body: logTable(logs, rowsMax) },
    { id: 'rules', title: 'Rules', isShown: rules.length > 0, body: mapped(rules, ruleOf) },
    { id: 'runbooks', title: 'Runbooks', isShown: runbooks.length > 0, body: mapped(runbooks, runbookOf) },
    { id: 'requests', title: 'Source requests', isShown: requests.length > 0, body: [requestTable(requests)] },
    { id: 'files', title: 'Files', isShown: true, body: [fileTable(files)] },
  ]
  return all.filter(({ isShown }) => isShown)
}

function* mapped<T>(items: readonly T[], map: (item: T) => Html): Generator<Html> {
  for (const item of items) yield map(item)
}

/** Queries with samples as charts, the others as a list. */
function* samplesOf(samples: BundleContent['samples'], window: BundleContent['window']): Generator<Html> {
  if (samples.length === 0) yield markup`<p class="quiet">No queries.</p>\n`
  const isDrawn = ({ series, warnings }: BundleContent['samples'][number]): boolean =>
    series.length + warnings.length > 0
  for (const one of samples) if (isDrawn(one)) yield chart(one, window)
  const empty = samples.filter((one) => !isDrawn(one))
  if (empty.length === 0) return
  yield markup`<details><summary>${countOf(empty.length, 'query', 'queries')} without samples in the window</summary>
<dl>${empty.map(({ title, expr }) => markup`<dt>${title}</dt><dd><code>${expr}</code></dd>\n`)}</dl></details>
`
}

function noteOf(title: string, sentences: readonly string[]): Html {
  if (sentences.length === 0) return markup``
  return markup`<div class="note"><strong>${title}</strong>
<ul>${sentences.map((sentence) => markup`<li>${sentence}</li>\n`)}</ul></div>
`
}

function ruleOf({ name, group, file, expr, forMs, keepFiringForMs, revision }: BundleContent['rules'][number]): Html {
  return markup`<h3>${name}</h3>
<p class="quiet">Group ${group} in ${file}, for ${countOf(forMs / 1000, 'second')}, keep firing for ${countOf(keepFiringForMs / 1000, 'second')}, revision ${revision.slice(0, 12)}</p>
<pre tabindex="0"><code>${expr}</code></pre>
`
}

function runbookOf({ name, markdown, values, revision }: BundleContent['runbooks'][number]): Html {
  return markup`<h3>${name}</h3>
<p class="quiet">Revision ${revision.slice(0, 12)}</p>
${values.length === 0 ? undefined : factTable(values, 'Values of the placeholders')}
<div class="runbook">${markdownHtml(markdown)}</div>
`
}
