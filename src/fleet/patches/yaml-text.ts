/** A value of JSON as YAML in block style. Texts are quoted as in JSON unless they are plain words, which YAML reads as texts. */
import { isObject } from './pointer.ts'

/** Letters, digits and dashes; not what YAML reads as a number, a truth value, a null or a date. */
const PLAIN = /^[A-Za-z][A-Za-z0-9./-]*$/
const NO_TEXT = /^(true|false|yes|no|on|off|null|y|n)$/i

export function yamlText(value: unknown, indent = ''): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `${indent}- ${yamlText(item, `${indent}  `).trimStart()}`).join('')
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value)
      .map(([name, inner]) => {
        const isBlock = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0
        return `${indent}${scalar(name)}:${isBlock ? `\n${yamlText(inner, `${indent}  `)}` : ` ${yamlText(inner)}`}`
      })
      .join('')
  }
  return `${indent}${scalar(value)}\n`
}

function scalar(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value) && !NO_TEXT.test(value)) return value
  if (Array.isArray(value)) return '[]'
  return isObject(value) ? '{}' : JSON.stringify(value ?? null)
}
