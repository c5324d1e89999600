/**
 * Answers as bytes, rendered on the thread that has the data, within a limit. They move to main, which sends them as they
 * are: an answer is in memory once, and main neither renders nor copies it.
 */
import { FleetError } from '../../base/errors.ts'
import { forEachInSlices, Slice } from '../../base/thread-slices.ts'

/** The parts of one answer, in order. Each has its own memory. */
export type AnswerBytes = readonly Uint8Array[]

const PART_CHARS = 64 * 1024
const encoder = new TextEncoder()

export class AnswerWriter {
  readonly #bytesMax: number
  readonly #slice = new Slice()
  #parts: Uint8Array[] = []
  #text = ''
  #bytes = 0

  /** @param bytesMax inclusive: `query.response-bytes-max` */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Throws FleetError `query_limit`. */
  add(text: string): void {
    this.#text += text
    if (this.#text.length >= PART_CHARS) this.#flush()
  }

  /** Adds each piece; other work runs in between. Rejects as `forEachInSlices` does. */
  addAll(pieces: Iterable<string>, signal?: AbortSignal): Promise<void> {
    const add = (piece: string): void => {
      this.add(piece)
    }
    return forEachInSlices(pieces, add, signal, this.#slice)
  }

  /** Ends the answer and gives its bytes away. */
  take(): AnswerBytes {
    this.#flush()
    return this.#parts
  }

  #flush(): void {
    if (this.#text === '' && this.#parts.length > 0) return
    const part = encoder.encode(this.#text)
    this.#text = ''
    this.#bytes += part.length
    if (this.#bytes > this.#bytesMax) {
      this.#parts = []
      throw new FleetError(
        'query_limit',
        `the answer has more than ${this.#bytesMax} bytes, the value of query.response-bytes-max: request fewer series or traces, a shorter range, a longer step, or a limit`,
      )
    }
    this.#parts.push(part)
  }
}

/** An answer of these pieces. */
export async function answerBytes(
  pieces: Iterable<string>,
  bytesMax: number,
  signal?: AbortSignal,
): Promise<AnswerBytes> {
  const writer = new AnswerWriter(bytesMax)
  await writer.addAll(pieces, signal)
  return writer.take()
}
