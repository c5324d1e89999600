/** Finds what patterns match inside texts, by the engine of RE2: in time linear in the text. */
import { compileRegex } from '../../model/regex.ts'
import type { RedactionProfile } from '../../model/redaction.ts'

export interface FoundPattern {
  readonly from: number
  readonly to: number
  readonly name: string
}

type Mask = RedactionProfile['masks'][number]

/** Secrets by their form, and values behind a name of a secret. */
export const SECRETS: readonly Mask[] = [
  String.raw`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`,
  String.raw`(?i)\b(?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}`,
  String.raw`(?i)(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|authorization|cookie)\w*\\*["']?\s*(?:[=:]|=>)\s*(?:\\*["'][^"'\\]+|[^\s"',;&}\]\\]{3,})`,
  String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`,
  String.raw`(?:AKIA|ASIA)[0-9A-Z]{16}`,
  String.raw`gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}`,
  String.raw`xox[abeprs]-[A-Za-z0-9-]{10,}|sha256~[A-Za-z0-9_-]{20,}`,
  String.raw`[A-Za-z][A-Za-z0-9+.-]*://[^/\s:@"']*:[^/\s@"']+@`,
].map((pattern) => ({ name: 'secret', pattern }))

/** Parts of the names of fields whose values are secrets. */
const SECRET_KEYS = ['password', 'passwd', 'passphrase', 'secret', 'token', 'apikey', 'api_key', 'api-key', 'accesskey']
const MORE_SECRET_KEYS = ['access_key', 'access-key', 'private_key', 'private-key', 'privatekey']
const CREDENTIAL_KEYS = ['credential', 'authorization', 'cookie']
const ALL_SECRET_KEYS = [...SECRET_KEYS, ...MORE_SECRET_KEYS, ...CREDENTIAL_KEYS]

export function isSecretKey(key: string): boolean {
  const lower = key.toLowerCase()
  return ALL_SECRET_KEYS.some((word) => lower.includes(word))
}

export class PatternSearch {
  readonly #patterns: readonly { readonly name: string; readonly regex: ReturnType<typeof compileRegex> }[]

  /** The patterns were checked: they compile, and match no empty text. */
  constructor(masks: readonly Mask[]) {
    this.#patterns = masks.map(({ name, pattern }) => ({ name, regex: compileRegex(pattern) }))
  }

  *in(text: string): Generator<FoundPattern> {
    for (const { name, regex } of this.#patterns) {
      // By the automaton, which is much faster than finding the place.
      if (!regex.test(text)) continue
      const matcher = regex.matcher(text)
      while (matcher.find()) {
        const [from, to] = [matcher.start(), matcher.end()]
        if (to > from) yield { from, to, name }
      }
    }
  }
}
