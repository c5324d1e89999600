import { Labels } from '../../src/model/labels.ts'
import { encodeWriteRequest, type WriteSample } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'

/** One series of a write request, labels as a record. */
export interface SentSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly samples: readonly WriteSample[]
}

/** A remote write 1.0 body, compressed. */
export function writeBody(series: readonly SentSeries[]): Uint8Array {
  return encodeSnappy(encodeWriteRequest(series.map(({ labels, samples }) => ({ labels: Labels.of(labels), samples }))))
}

/** Sends a body as Prometheus does; rejects when there is no answer. */
export function postWrite(url: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/api/v1/write`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
      ...headers,
    },
  })
}
