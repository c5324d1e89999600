/**
 * Malformed input bytes. The only error that decoders of this folder throw, for any input; `ingest` and `api` turn it
 * into a 400, because a retry of the same bytes cannot succeed.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  /** Byte offset in the decoder's input; absent when the error concerns the whole input. */
  readonly offset: number | undefined

  /**
   * @param format the format, for the start of the message: `snappy: corrupt input`, `protobuf`, `faro`
   * @param got the bytes found
   * @param want the bytes expected
   */
  constructor(format: string, got: string, want: string, offset?: number) {
    super(`${format}: got ${got}, want ${want}${offset === undefined ? '' : `, at byte ${offset}`}`)
    this.offset = offset
  }
}

/** The limits that the caller of a decoder sets for one request. */
export type DecodeLimit = 'decodedBytes' | 'samples' | 'series' | 'attributes' | 'spans' | 'logRecords'

/** More than the caller allows, in bytes that may otherwise be right. */
export class LimitError extends DecodeError {
  readonly limit: DecodeLimit

  /** @param most the limit's value, inclusive */
  constructor(format: string, got: string, limit: DecodeLimit, most: number) {
    super(format, got, `at most ${most}`)
    this.limit = limit
  }
}

/** Values nested deeper than this are not decoded: deeper nesting only serves to overflow the stack. */
export const VALUE_DEPTH_MAX = 32
