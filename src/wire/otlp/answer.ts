import { DecodeError } from '../decode-error.ts'
import { LENGTH_DELIMITED, ProtobufReader, ProtobufWriter, VARINT } from '../protobuf.ts'

/**
 * Responses of an OTLP receiver, in the encoding of the request: Export*ServiceResponse, and google.rpc.Status for a
 * refused request. A count of 0 is written too, as other receivers do.
 */
export type OtlpEncoding = 'protobuf' | 'json'

export type OtlpSignal = 'metrics' | 'traces' | 'logs'

/** Number of refused points, spans or log records of an accepted request; with 0, the message is a warning. */
interface PartialSuccess {
  readonly rejected: number
  readonly message: string
}

const REJECTED: Readonly<Record<OtlpSignal, string>> = {
  metrics: 'rejectedDataPoints',
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
}

/** @param partial absent when all was accepted without a warning: then the protobuf response is empty */
export function encodeExportAnswer(
  encoding: OtlpEncoding,
  signal: OtlpSignal,
  partial: PartialSuccess | undefined,
): Uint8Array {
  if (encoding === 'json') {
    if (partial === undefined) return jsonBytes({})
    // A 64-bit integer is a text in JSON.
    const { rejected, message } = partial
    return jsonBytes({ partialSuccess: { [REJECTED[signal]]: String(rejected), errorMessage: message } })
  }
  const answer = new ProtobufWriter()
  if (partial === undefined) return answer.finish()
  answer.bytes(1, numberAndText(partial.rejected, partial.message))
  return answer.finish()
}

/** @param code of google.rpc.Code */
export function encodeStatus(encoding: OtlpEncoding, code: number, message: string): Uint8Array {
  return encoding === 'json' ? jsonBytes({ code, message }) : numberAndText(code, message)
}

/** The message of a google.rpc.Status; `undefined`: the bytes are malformed, or it has none. */
export function statusMessageOf(bytes: Uint8Array): string | undefined {
  const reader = new ProtobufReader(bytes)
  let message: string | undefined
  try {
    while (reader.position < bytes.length) {
      const tag = reader.tag(bytes.length)
      if (tag !== (MESSAGE << 3) + LENGTH_DELIMITED) {
        reader.skip(tag, bytes.length)
        continue
      }
      const end = reader.lengthDelimitedEnd(bytes.length)
      message = utf8.decode(bytes.subarray(reader.position, end))
      reader.position = end
    }
    return message === '' ? undefined : message
  } catch (thrown) {
    if (thrown instanceof DecodeError || thrown instanceof TypeError) return undefined
    throw thrown
  }
}

const MESSAGE = 2
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Both messages are a number in field 1 and a text in field 2. */
function numberAndText(number: number, text: string): Uint8Array {
  const writer = new ProtobufWriter()
  writer.tag(1, VARINT)
  writer.varint(number)
  writer.text(2, text)
  return writer.finish()
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
