/** How much a bundle has at most. What is cut is stated in the manifest and on the page. */
import type { BundleCut } from './content.ts'

export interface BundleLimits {
  /** Of which objects, log records and traces are read. */
  readonly clustersMax: number
  readonly objectsMax: number
  readonly logsMax: number
  /** Log records are counted up to this number. */
  readonly logsCountedMax: number
  readonly spansMax: number
  readonly queriesMax: number
  /** Of one query. */
  readonly seriesMax: number
  /** Of one series. */
  readonly pointsMax: number
  /** Of all queries. */
  readonly samplesMax: number
  /** Of the texts of one kind of data: objects, log records, spans, the record. */
  readonly partBytesMax: number
  /** Of one text, such as the body of a log record. */
  readonly textCharsMax: number
  /** Rows of one table of the page; the members have all. */
  readonly rowsMax: number
}

export const BUNDLE_LIMITS: BundleLimits = {
  clustersMax: 20,
  objectsMax: 5000,
  logsMax: 5000,
  logsCountedMax: 20_000,
  spansMax: 5000,
  queriesMax: 60,
  seriesMax: 50,
  pointsMax: 240,
  samplesMax: 200_000,
  partBytesMax: 8 * 1024 * 1024,
  textCharsMax: 16 * 1024,
  rowsMax: 500,
}

/** Takes items until one of two limits is reached. */
export class Bounded<T> {
  readonly items: T[] = []
  readonly #itemsMax: number
  #bytesLeft: number

  constructor(itemsMax: number, bytesMax: number) {
    this.#itemsMax = itemsMax
    this.#bytesLeft = bytesMax
  }

  /** False: there is no room for it, and none for later ones. @param size of the item, as far as senders choose it */
  add(item: T, size: number): boolean {
    if (this.items.length >= this.#itemsMax || size > this.#bytesLeft) {
      this.#bytesLeft = -1
      return false
    }
    this.#bytesLeft -= size
    this.items.push(item)
    return true
  }
}

/** Nothing when it is whole. */
export function cutOf(what: string, shown: number, of: number, isMore = false): readonly BundleCut[] {
  return shown === of && !isMore ? [] : [{ what, shown, of, isMore }]
}

/** `1,000 of 12,345 log records`. */
export function cutText({ what, shown, of, isMore }: BundleCut): string {
  const text = (count: number): string => count.toLocaleString('en-US')
  return `${text(shown)} of ${isMore ? 'more than ' : ''}${text(of)} ${what}`
}

/** The text, or its start with a mark. */
export function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}… (${text.length - charsMax} more characters)`
}
