/**
 * HTML of which every text is escaped: only what `markup` made counts as HTML. Characters that a browser does not show, or that
 * turn the direction of the text, are replaced, so that a page shows what the data has.
 */

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | undefined

/** The tag is not called `html`: formatters would change the texts between the values. */
export function markup(texts: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = texts[0]!
  for (const [i, value] of values.entries()) text += textOf(value) + texts[i + 1]!
  return new Html(text)
}

function textOf(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return escaped(String(value))
}

const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }))

export function escaped(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (char) => ENTITIES.get(char)!)
      // eslint-disable-next-line no-control-regex -- control characters are what is replaced
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '\ufffd')
  )
}
