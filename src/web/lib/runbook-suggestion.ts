import type { BoundRunbook, RunbookSource } from '../../contract/runbooks.ts'
import { formatMoment } from './format-time.ts'
import { unifiedDiff } from './unified-diff.ts'

/** A suggested edit for the maintainer of a runbook: the diff, and the alert of the reader. Pure. */
export interface Suggestion {
  /** For `git apply`, with the alert above the diff. */
  readonly patch: string
  /** For an issue or a pull request. */
  readonly markdown: string
}

/**
 * @param instance the alert of the reader; absent where the reader does not disclose its cluster
 * @param linkOf the absolute address of a page
 */
export function suggestionOf(
  source: RunbookSource,
  text: string,
  instance: BoundRunbook['instance'],
  link: string,
): Suggestion | undefined {
  const diff = unifiedDiff(source.path, source.text, text)
  if (diff === '') return undefined
  const found =
    instance === undefined
      ? []
      : [
          `Found with ${source.name} on ${instance.cluster === '' ? 'no named cluster' : instance.cluster}, ` +
            `${instance.severity}, active since ${formatMoment(instance.activeAtMs, 'utc')}, value ${String(instance.value)}.`,
          `Seen at ${link}`,
        ]
  const title = `Suggested edit of the runbook ${source.name}`
  return {
    patch: [title, '', ...found, ...(found.length === 0 ? [] : ['']), diff].join('\n'),
    // The fence around the diff is longer than any fence of the page.
    markdown: [`## ${title}`, '', ...found.flatMap((line) => [line, '']), '````diff', `${diff}\`\`\`\``, ''].join('\n'),
  }
}
