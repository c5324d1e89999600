/** Checks of one page alone: title, sections, front matter, blocks and names of placeholders. */
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import { checkBlocks, checkPlaceholders, checkSections, checkTitle, SECTIONS } from '../check-page.ts'
import { parseRunbookPage, type RunbookPage } from '../runbook-page.ts'
import { onPage, type CatalogContent } from './catalog-content.ts'

export const runbookTitle: Check<CatalogContent> = {
  name: 'runbook-title',
  title: 'The title of a runbook is not the name of its alert',
  severity: 'error',
  why: 'Links use the name of the file, readers see the title. If the two differ, one of them is wrong.',
  fix: 'Start the page with `# NAME`, the name of the file, and use no other first-level heading.',
  example: '# CDI is not ready',
  run: (content) => faultsOfPages(content, checkTitle),
}

export const runbookSections: Check<CatalogContent> = {
  name: 'runbook-sections',
  title: 'A runbook lacks a section, or has a different order',
  severity: 'error',
  why: 'All runbooks have the same sections in the same order, so that an engineer finds impact, diagnosis and mitigation without searching.',
  fix: `Write the sections ${SECTIONS.join(', ')}, in this order, none empty; use headings of the third level inside them.`,
  example: '## Meaning\n\n...\n\n## Mitigation\n\n...',
  run: (content) => faultsOfPages(content, checkSections),
}

export const runbookFrontMatter: Check<CatalogContent> = {
  name: 'runbook-front-matter',
  title: 'The front matter of a runbook is not valid',
  severity: 'error',
  why: 'The front matter lists the old names of the alert. A misspelled key disables them, and links from older clusters break.',
  fix: 'Use only the keys `aliases` (a list of names) and `without_rule` (a sentence).',
  example: '---\nalias: OldName\n---',
  run: (content) => faultsOfPages(content, (page) => parseRunbookPage(page.path, page.text).diagnostics),
}

export const runbookBlocks: Check<CatalogContent> = {
  name: 'runbook-blocks',
  title: 'A value cannot be quoted safely, or a live cell has no caption',
  severity: 'error',
  why: 'Values of labels come from senders, so they are quoted when they are inserted into commands and queries. Where a value cannot be quoted safely, it is not inserted and the command does not work. A live cell without a caption shows a number without its meaning.',
  fix: 'Apply the fix in the message: a fence instead of an inline command, double quotes around a label value, a caption before a cell, a closing fence.',
  example: 'Run `kubectl get pods -n {{namespace}}`.',
  run: (content) => faultsOfPages(content, checkBlocks),
}

export const placeholderUnknown: Check<CatalogContent> = {
  name: 'placeholder-unknown',
  title: 'Unknown placeholder',
  severity: 'error',
  why: 'The placeholder is not replaced and stays in the command.',
  fix: 'Use a placeholder from the table in `catalog/placeholder.ts`.',
  example: 'kubectl get pods -n {{name_space}}',
  run: (content) => faultsOfPages(content, checkPlaceholders),
}

function faultsOfPages(
  { pages }: CatalogContent,
  faultsOf: (page: RunbookPage) => readonly Diagnostic[],
): CheckFinding[] {
  return [...pages.values()].flatMap((page) =>
    faultsOf(page).map((fault) => onPage(page, fault, fault.message, fault.help)),
  )
}
