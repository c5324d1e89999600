import type { BoundRunbook } from '../../src/contract/runbooks.ts'

/** What goes into the page of `test/web/fuzz/entry.tsx`, and what comes out. */

export interface ShownInput {
  readonly bound: BoundRunbook
  /** Of an alert, as label names and values. */
  readonly labels: readonly (readonly [string, string])[]
  /** Of a dashboard. */
  readonly text: string
}

export interface ShownPage {
  /** What no text of a stranger may have made, one sentence each. */
  readonly faults: readonly string[]
  /** The elements of the bound runbook, by name; marks of values left out. */
  readonly shape: string
}
