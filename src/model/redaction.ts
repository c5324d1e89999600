/** What an evidence bundle leaves out or replaces. The file of `bundle.redaction` has it. */

export const REDACTION_NAMES = ['default', 'strict', 'none'] as const
export type RedactionName = (typeof REDACTION_NAMES)[number]

/** What is recognised, and replaced by a name such as `[cluster-1]`: of equal texts equal. */
export const PSEUDONYMS = ['clusters', 'nodes', 'users', 'hosts', 'addresses', 'emails'] as const
export type PseudonymKind = (typeof PSEUDONYMS)[number]

export interface RedactionProfile {
  readonly pseudonyms: ReadonlySet<PseudonymKind>
  /** Passwords, tokens and private keys become `[secret]`. */
  readonly masksSecrets: boolean
  /** RE2 patterns of whole names: such labels and attributes are left out. */
  readonly dropLabels: readonly string[]
  /** RE2 patterns inside texts, which become `[name]`. */
  readonly masks: readonly { readonly name: string; readonly pattern: string }[]
}

export interface RedactionPolicy {
  readonly profiles: Readonly<Record<RedactionName, RedactionProfile>>
  /** What users may request. */
  readonly allowed: readonly RedactionName[]
  /** Makes pseudonyms the same in all bundles; absent: they are numbered in each bundle. */
  readonly pseudonymKey?: string
}

export const DEFAULT_REDACTION: RedactionPolicy = {
  profiles: {
    default: { pseudonyms: new Set(['addresses', 'emails']), masksSecrets: true, dropLabels: [], masks: [] },
    strict: { pseudonyms: new Set(PSEUDONYMS), masksSecrets: true, dropLabels: [], masks: [] },
    none: { pseudonyms: new Set(), masksSecrets: false, dropLabels: [], masks: [] },
  },
  allowed: REDACTION_NAMES,
}
