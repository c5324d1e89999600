/** Escapes of Go's string literals, by the character after the backslash. */
export const GO_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    a: '\x07',
    b: '\b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
    v: '\v',
    '\\': '\\',
  }),
)

const NAMES = new Map([...GO_ESCAPES].map(([name, char]) => [char, name]))

/** A text in double quotes, as Go's `strconv.Quote` and `%q` print it. */
export function quoteGo(text: string): string {
  const body = text.replace(/["\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (char) => {
    const code = char.codePointAt(0)!
    const name = char === '"' ? char : NAMES.get(char)
    if (name !== undefined) return `\\${name}`
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
  return `"${body}"`
}
