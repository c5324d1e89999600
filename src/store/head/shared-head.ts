import { receiveMessageOnPort } from 'node:worker_threads'
import type { SeriesRef } from '../../model/series.ts'
import { HeadMemory } from './head-memory.ts'
import { HeadReader } from './head-reader.ts'
import { HeadRows } from './head-rows.ts'
import type { ReaderShare, StoreMessage } from './share.ts'

/** What concerns the index, and not the head's memory. */
export type IndexMessage = Exclude<StoreMessage, { readonly kind: 'slots' | 'pages' }>

/** What the reader does with what is told; new memory is taken in before. */
export interface HeadListener {
  received(message: IndexMessage): void
  /** Lets go of removed series: not while the head is read, which may still use their slots. */
  forget(refs: readonly SeriesRef[]): void
}

/** The head as another thread reads it: its memory, what the writer tells about it, and the pin that holds it still. */
export class SharedHead {
  readonly memory: HeadMemory
  readonly reader: HeadReader
  readonly rows: HeadRows
  readonly #share: ReaderShare
  readonly #listener: HeadListener
  /** How many series with histograms the writer had announced when they were last received. */
  #histogramSeriesSeen = 0
  #removedLater: SeriesRef[] = []
  #isReading = false

  constructor(share: ReaderShare, listener: HeadListener) {
    this.#share = share
    this.#listener = listener
    this.memory = new HeadMemory(share.head)
    this.reader = new HeadReader(this.memory, () => {
      this.receive()
    })
    this.rows = new HeadRows(this.memory, this.reader)
  }

  /** Takes in what the writer told since. */
  receive(): void {
    // Before the messages: what is counted was announced.
    this.#histogramSeriesSeen = this.memory.histogramSeries
    for (;;) {
      const received = receiveMessageOnPort(this.#share.port) as { readonly message: StoreMessage } | undefined
      if (received === undefined) return
      const { message } = received
      if (message.kind === 'slots') this.memory.addSlots(message.buffer)
      else if (message.kind === 'pages') this.memory.addPages(message.buffer)
      else this.#take(message)
    }
  }

  /** To be asked after samples were read: whoever sees a first histogram sees that it was announced. */
  receiveHistograms(): void {
    if (this.memory.histogramSeries !== this.#histogramSeriesSeen) this.receive()
  }

  /** Runs `work` on the head; while it runs, nothing it can reach is used for something else. */
  pinned<T>(work: () => T): T {
    this.memory.pin(this.#share.reader)
    try {
      // After the pin: a series removed before it is forgotten now, one removed later keeps its slot.
      this.#listener.forget(this.#removedLater)
      this.#removedLater = []
      this.receive()
      this.#isReading = true
      return work()
    } finally {
      this.#isReading = false
      this.memory.unpin(this.#share.reader)
    }
  }

  close(): void {
    this.memory.unpin(this.#share.reader)
    this.#share.port.close()
  }

  #take(message: IndexMessage): void {
    this.#listener.received(message)
    if (message.kind !== 'removed') return
    if (this.#isReading) this.#removedLater.push(...message.refs)
    else this.#listener.forget(message.refs)
  }
}
