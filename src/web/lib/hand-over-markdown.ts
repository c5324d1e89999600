import { formatMoment } from './format-time.ts'
import type { HandOver, HandOverItem, HandOverSection } from './hand-over.ts'

/** A hand-over as Markdown, in UTC, with links that show the same moment. Pure. */

/** @param linkOf the absolute address of a page */
export function handOverMarkdown(
  { asOfMs, sinceMs, coverage, sections }: HandOver,
  linkOf: (path: string) => string,
): string {
  const lines = [
    `# Hand-over ${formatMoment(asOfMs, 'utc')}`,
    '',
    `Since ${formatMoment(sinceMs, 'utc')}; ${coverage}.`,
    ...sections.flatMap((section) => ['', ...sectionLines(section, linkOf)]),
  ]
  return `${lines.join('\n')}\n`
}

/** `Stuck: 3 (2 at the start of the shift)` */
export function sectionTitle({ title, count, countThen }: HandOverSection): string {
  return `${title}: ${count ?? 'not known'}${countThen === undefined ? '' : ` (${countThen} at the start of the shift)`}`
}

function sectionLines(section: HandOverSection, linkOf: (path: string) => string): readonly string[] {
  const { says, items, left } = section
  const rest = [
    ...(says === '' ? [] : [escaped(says)]),
    ...items.map((item) => itemLine(item, linkOf)),
    ...(left === 0 ? [] : [`- and ${left} more`]),
  ]
  return [`## ${sectionTitle(section)}`, ...(rest.length === 0 ? [] : ['', ...rest])]
}

function itemLine({ name, path, says, isNew }: HandOverItem, linkOf: (path: string) => string): string {
  return `- ${isNew === true ? '**new** ' : ''}[${escaped(name)}](${linkOf(path)}): ${escaped(says)}`
}

/** User input is not interpreted as Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|]/g, '\\$&').replaceAll(/\s*\n\s*/g, ' ')
}
