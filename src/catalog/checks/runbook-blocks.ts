import type { Check } from '../../rules/checks/check.ts'
import { checkBlocks } from '../check-page.ts'
import { fromDiagnostics, type CatalogContent } from './catalog-content.ts'

export const runbookBlocks: Check<CatalogContent> = {
  name: 'runbook-blocks',
  title: 'A value would stand where it cannot be quoted, or a cell says nothing of itself',
  severity: 'error',
  why: 'Values of labels come from senders. They are written into commands and queries quoted for their place; where that cannot be done safely nothing is filled in, and the command does not work. A live cell without a line before it is a number nobody can read.',
  mend: 'Do what the message says: a fence instead of an inline command, double quotes around a label value, a caption before a cell, a closing fence.',
  example: 'Run `kubectl get pods -n {{namespace}}`.',
  run: ({ pages }) => [...pages.values()].flatMap((page) => fromDiagnostics(page, checkBlocks(page))),
}
