import { compressSync } from 'snappy'
import { Labels } from '../../src/model/labels.ts'
import { encodeLabels } from '../../src/wire/remote-write-encode.ts'

/** Remote write 1.0 requests of the same series again and again: made once, with times and values put into their places. */

/** A WriteRequest's bytes of one sample: a double and a time of six bytes, as of all times from 2004 to 2109. */
const SAMPLE_BYTES = 16
const TIME_BYTES = 6

export class ScrapeBody {
  readonly #bytes: Buffer
  readonly #samplesAt: number[] = []
  readonly samples: number

  constructor(cluster: string, seriesCount: number) {
    this.samples = seriesCount
    const parts: Buffer[] = []
    let at = 0
    const add = (part: Iterable<number>): void => {
      const bytes = Buffer.from([...part])
      parts.push(bytes)
      at += bytes.length
    }
    for (let i = 0; i < seriesCount; i++) {
      const labels = encodeLabels(
        Labels.of({
          ...{ __name__: `kubevirt_overload_${i % 100}`, cluster, namespace: 'kubevirt-hyperconverged' },
          ...{ pod: `virt-handler-${Math.floor(i / 100)}`, instance: `10.1.${i >> 8}.${i & 255}:8443` },
        }),
      )
      const bytes = labels.length + 2 + 1 + 8 + 1 + TIME_BYTES
      add([0x0a, ...varint(bytes)])
      add(labels)
      add([0x12, SAMPLE_BYTES, 0x09])
      this.#samplesAt.push(at)
      add([...new Uint8Array(8), 0x10, ...new Uint8Array(TIME_BYTES)])
    }
    this.#bytes = Buffer.concat(parts)
  }

  /** The compressed request of one scrape. */
  at(timeMs: number): Buffer {
    const bytes = this.#bytes
    const time = varint(timeMs)
    this.#samplesAt.forEach((at, i) => {
      // Half of the series are constant.
      bytes.writeDoubleLE(i % 2 === 0 ? 1 : timeMs + i, at)
      for (let byte = 0; byte < TIME_BYTES; byte++) bytes[at + 9 + byte] = time[byte]!
    })
    return compressSync(bytes)
  }
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return [...bytes, rest]
}
