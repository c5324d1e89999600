import type { JsonValue } from '../../../src/wire/otlp/logs-encode.ts'

/** A Kubernetes object as its API server writes it: the facts in their places, and around them what nobody reads. */
export type Manifest = { readonly [key: string]: JsonValue | undefined }

/** What a kind adds to the metadata that all have. */
export interface Body {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly generation?: number
  readonly generateName?: string
  readonly rest: Manifest
}
