/**
 * Bytes that are not what they claim to be. The decoders of this folder throw nothing else, whatever they are given;
 * `ingest` and `api` turn it into a 400, because sending the same bytes again cannot help.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  /** Where decoding stopped: a byte offset into what the decoder was given; absent when it is about the whole. */
  readonly offset: number | undefined

  /**
   * @param format what was being read, for the start of the message: `snappy: corrupt input`, `protobuf`, `faro`
   * @param got what stands in the bytes
   * @param want what would have been right
   */
  constructor(format: string, got: string, want: string, offset?: number) {
    super(`${format}: got ${got}, want ${want}${offset === undefined ? '' : `, at byte ${offset}`}`)
    this.offset = offset
  }
}

/** The limits that whoever decodes sets for one request. */
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
