import type { BoundRunbook, RunbookSource } from '../../contract/runbooks.ts'
import { formatMoment } from './format-time.ts'
import { unifiedDiff } from './unified-diff.ts'

/** An edit of a runbook for whoever keeps it: the diff, and where it was found to be wrong. Pure. */
export interface Suggestion {
  /** For `git apply`, with the evidence above. */
  readonly patch: string
  /** For an issue or a pull request. */
  readonly markdown: string
}

/**
 * @param instance the alert it was found with; left out where its cluster is not to be told
 * @param linkOf an address of the UI as whoever reads it elsewhere can open it
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
    // A page has fences of its own: the one around the diff is longer.
    markdown: [`## ${title}`, '', ...found.flatMap((line) => [line, '']), '````diff', `${diff}\`\`\`\``, ''].join('\n'),
  }
}
