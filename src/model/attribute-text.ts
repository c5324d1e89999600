import type { Attributes, AttributeValue } from './attribute.ts'

/** Texts as they are, numbers and booleans as text, bytes in base64, lists and maps as JSON. The empty value is the empty text. */
export function valueText(value: AttributeValue): string {
  if (typeof value === 'string') return value
  if (value === undefined) return ''
  if (value instanceof Uint8Array) return base64(value)
  return typeof value === 'object' ? jsonText(value) : String(value)
}

/** Keys of maps are sorted, so that one map has one text; a repeated key keeps its last value. */
function jsonText(value: AttributeValue): string {
  if (value === undefined) return 'null'
  if (value instanceof Uint8Array) return JSON.stringify(base64(value))
  // JSON has no NaN and no infinities.
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : JSON.stringify(String(value))
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  if (!isList(value)) {
    const byKey = new Map(value.entries.map((entry) => [entry.key, entry.value]))
    const keys = [...byKey.keys()].sort()
    return `{${keys.map((key) => `${JSON.stringify(key)}:${jsonText(byKey.get(key))}`).join(',')}}`
  }
  return `[${value.map(jsonText).join(',')}]`
}

/** `Array.isArray` does not narrow readonly arrays away. */
function isList(
  value: readonly AttributeValue[] | { readonly entries: Attributes },
): value is readonly AttributeValue[] {
  return Array.isArray(value)
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
