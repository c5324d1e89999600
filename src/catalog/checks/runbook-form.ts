/** Checks of one page alone: title, sections, front matter, blocks and names of placeholders. */
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Check, CheckFinding } from '../../rules/checks/check.ts'
import { checkBlocks, checkPlaceholders, checkSections, checkTitle, SECTIONS } from '../check-page.ts'
import { parseRunbookPage, type RunbookPage } from '../runbook-page.ts'
import { onPage, type CatalogContent } from './catalog-content.ts'

export const runbookTitle: Check<CatalogContent> = {
  name: 'runbook-title',
  title: 'The title of a runbook is not its alert',
  severity: 'error',
  why: 'Links find a page by the name of its file, people by its title. Where the two differ, one of them is on the wrong page.',
  mend: 'Start the page with `# NAME`, the name of the file, and have no other heading of the first level.',
  example: '# CDI is not ready',
  run: (content) => faultsOfPages(content, checkTitle),
}

export const runbookSections: Check<CatalogContent> = {
  name: 'runbook-sections',
  title: 'A runbook lacks a section, or has them in another order',
  severity: 'error',
  why: 'What is this, how bad is it, what do I look at, what do I do: a reader who knows one page finds their way on every other. Pages without an impact or a diagnosis are what operators ship today.',
  mend: `Write the sections ${SECTIONS.join(', ')}, in this order, none empty; use headings of the third level inside them.`,
  example: '## Meaning\n\n...\n\n## Mitigation\n\n...',
  run: (content) => faultsOfPages(content, checkSections),
}

export const runbookFrontMatter: Check<CatalogContent> = {
  name: 'runbook-front-matter',
  title: 'The head of a runbook cannot be read',
  severity: 'error',
  why: 'Old names of an alert stand there. With a slip in a key they are gone, and links from older clusters lead nowhere.',
  mend: 'The keys are `aliases`, a list of names, and `without_rule`, a sentence.',
  example: '---\nalias: OldName\n---',
  run: (content) => faultsOfPages(content, (page) => parseRunbookPage(page.path, page.text).diagnostics),
}

export const runbookBlocks: Check<CatalogContent> = {
  name: 'runbook-blocks',
  title: 'A value cannot be quoted at its place, or a live cell has no caption',
  severity: 'error',
  why: 'Values of labels come from senders. They are written into commands and queries quoted for their place; where that cannot be done safely nothing is filled in, and the command does not work. A live cell without a line before it is a number nobody can read.',
  mend: 'Apply the fix in the message: a fence instead of an inline command, double quotes around a label value, a caption before a cell, a closing fence.',
  example: 'Run `kubectl get pods -n {{namespace}}`.',
  run: (content) => faultsOfPages(content, checkBlocks),
}

export const placeholderUnknown: Check<CatalogContent> = {
  name: 'placeholder-unknown',
  title: 'A placeholder does not exist',
  severity: 'error',
  why: 'It stays in the page as it is, in the middle of a command.',
  mend: 'Use one of the table in `catalog/placeholder.ts`.',
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
