import { DecodeError } from '../decode-error.ts'
import { LENGTH_DELIMITED, ProtobufReader, ProtobufWriter, VARINT } from '../protobuf.ts'

/**
 * What an OTLP receiver answers, in the encoding of the request: Export*ServiceResponse, and google.rpc.Status for what
 * was not taken at all. A count of 0 is written too, as other receivers do; readers may not care.
 */
export type OtlpEncoding = 'protobuf' | 'json'

export type OtlpSignal = 'metrics' | 'traces' | 'logs'

/** How many points, spans or log records were not taken of a request that otherwise was; with 0, the message is a warning. */
export interface PartialSuccess {
  readonly rejected: number
  readonly message: string
}

const REJECTED: Readonly<Record<OtlpSignal, string>> = {
  metrics: 'rejectedDataPoints',
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
}

/** @param partial absent when all was taken and there is nothing to say: then the protobuf answer is no bytes at all */
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

/** What a receiver says in a google.rpc.Status; `undefined`: the bytes are none, or it says nothing. */
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
