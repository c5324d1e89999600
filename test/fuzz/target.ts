import type { Random } from './mutate.ts'

/**
 * One thing that is fuzzed. Inputs follow from a seed and a number alone, so that a finding is drawn again by its number.
 * The suite checks the first few inputs of each target, `npm run fuzz` the many.
 */
export interface Target<Input = unknown> {
  readonly name: string
  /** What holds of every input, one sentence. */
  readonly claim: string
  readonly inputs: {
    /** In the suite. */
    readonly suite: number
    /** In `npm run fuzz`: the share of this target in 10 million. */
    readonly long: number
  }
  /** Inputs that are checked together; 1 when absent. */
  readonly batch?: number
  /** A session ends after so many inputs, before what it has learned makes it slow; never when absent. */
  readonly sessionInputs?: number
  /**
   * The least share of each outcome, 0 to 1: a generator whose inputs are all refused proves nothing. Outcomes that are not
   * listed may be absent.
   */
  readonly shares?: Readonly<Record<string, number>>
  open(): Session<Input> | Promise<Session<Input>>
}

export interface Session<Input> {
  make(random: Random): Input
  /** The outcome of each input, in their order. Throws when the claim does not hold for one of them. */
  check(inputs: readonly Input[]): readonly string[] | Promise<readonly string[]>
  /** Simpler inputs, the simplest first, for the smallest one that still fails. */
  simpler(input: Input): Iterable<Input>
  /** For the report: a text from which the input can be written down again. */
  show(input: Input): string
  close(): void | Promise<void>
}

/** `check` for a target whose inputs are checked one by one. */
export function oneByOne<Input>(check: (input: Input) => string | Promise<string>): Session<Input>['check'] {
  return async (inputs) => {
    const outcomes: string[] = []
    for (const input of inputs) {
      const outcome = check(input)
      outcomes.push(typeof outcome === 'string' ? outcome : await outcome)
    }
    return outcomes
  }
}

/** Bytes with a part left out, larger parts first; then with a byte set to 0. */
export function* simplerBytes(bytes: Uint8Array): Iterable<Uint8Array> {
  yield* withoutParts(bytes.length, (from, to) => Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]))
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) yield Uint8Array.from(bytes).fill(0, at, at + 1)
}

/** A text with a part left out, larger parts first. */
export function* simplerText(text: string): Iterable<string> {
  const points = Array.from(text)
  yield* withoutParts(points.length, (from, to) => points.toSpliced(from, to - from).join(''))
}

function* withoutParts<T>(length: number, without: (from: number, to: number) => T): Iterable<T> {
  for (let size = length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < length; from += size) yield without(from, Math.min(length, from + size))
  }
}

export function showBytes(bytes: Uint8Array): string {
  return `base64 ${Buffer.from(bytes).toString('base64')}`
}

/** What most targets of bytes have in common. */
export const BYTES = { simpler: simplerBytes, show: showBytes } as const
/** What most targets of texts have in common. */
export const TEXT = { simpler: simplerText, show: (text: string): string => JSON.stringify(text) } as const
/** For a session that holds nothing. */
export const NOTHING_TO_CLOSE = { close: (): void => undefined } as const
