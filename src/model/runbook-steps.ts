/**
 * Which parts of a runbook are steps that an engineer ticks off. The server computes their keys from the text with placeholders,
 * the page draws check boxes from the text with values; both find the steps here, in the same order. Pure.
 */
import type { Token, Tokens } from 'marked'

/** Diagnosis steps find the cause, mitigation steps remove it: only the latter can be a fix. */
export const STEP_SECTIONS = ['diagnosis', 'mitigation'] as const
export type StepSection = (typeof STEP_SECTIONS)[number]

/** A part of the lexer's tokens: a heading, an item of a list, the cells of a row of a table, or a paragraph. */
export interface StepPlace {
  readonly section: StepSection
  /** Identifies the part: the same object as in the tokens. */
  readonly part: object
  /** With markup and placeholders. */
  readonly text: string
}

/** Steps of one runbook; later ones have no check box. */
export const STEPS_MAX = 100

/**
 * In Diagnosis: each heading of level 3, and each item of a numbered list. In Mitigation: each item of a list, each row of a
 * table, and each paragraph directly before a command; of a Mitigation without any of these each paragraph. Verification has no
 * steps: it shows whether a step helped.
 */
export function stepPlaces(tokens: readonly Token[]): readonly StepPlace[] {
  const places: StepPlace[] = []
  const paragraphs: StepPlace[] = []
  const parts = tokens.filter(({ type }) => type !== 'space')
  let section: StepSection | undefined
  let isVerification = false
  for (const [i, token] of parts.entries()) {
    if (token.type === 'heading') {
      const { depth, text } = token as Tokens.Heading
      if (depth <= 2) section = STEP_SECTIONS.find((name) => name === text.trim().toLowerCase())
      if (depth <= 3) isVerification = /^verification$/i.test(text.trim())
      if (depth === 3 && section === 'diagnosis' && !isVerification) places.push({ section, part: token, text })
      continue
    }
    if (section === undefined || isVerification) continue
    for (const [part, text] of partsOf(token, parts[i + 1], section)) places.push({ section, part, text })
    if (section === 'mitigation' && token.type === 'paragraph') {
      paragraphs.push({ section, part: token, text: (token as Tokens.Paragraph).text })
    }
  }
  if (!places.some((place) => place.section === 'mitigation')) places.push(...paragraphs)
  return places.slice(0, STEPS_MAX)
}

function partsOf(token: Token, next: Token | undefined, section: StepSection): readonly (readonly [object, string])[] {
  if (token.type === 'list') {
    const { ordered, items } = token as Tokens.List
    if (section === 'diagnosis' && !ordered) return []
    return items.map((item) => [item, firstText(item)] as const)
  }
  if (section === 'diagnosis') return []
  if (token.type === 'table') {
    const { rows } = token as Tokens.Table
    return rows.map((row) => [row, row.map(({ text }) => text).join(': ')] as const)
  }
  const isCommand = next?.type === 'code' && /^bash\b/.test((next as Tokens.Code).lang ?? '')
  return token.type === 'paragraph' && isCommand ? [[token, (token as Tokens.Paragraph).text]] : []
}

/** The first block of an item: the rest are commands and details. */
function firstText({ tokens, text }: Tokens.ListItem): string {
  const [first] = tokens
  return first === undefined || !('text' in first) ? text : String(first.text)
}
