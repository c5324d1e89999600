import { receiveMessageOnPort } from 'node:worker_threads'
import { HeadMemory } from './head-memory.ts'
import { HeadReader } from './head-reader.ts'
import { HeadRows } from './head-rows.ts'
import type { ReaderShare, StoreMessage } from './share.ts'

/** What concerns the index, and not the head's memory. */
export type IndexMessage = Exclude<StoreMessage, { readonly kind: 'slots' | 'pages' }>

/** Receives the writer's messages; new memory is added before. */
export interface HeadListener {
  received(message: IndexMessage): void
}

/** The head as another thread reads it: its memory, the writer's messages, and the pin that prevents reuse. */
export class SharedHead {
  readonly memory: HeadMemory
  readonly reader: HeadReader
  readonly rows: HeadRows
  readonly #share: ReaderShare
  readonly #listener: HeadListener
  /** How many series with histograms the writer had announced when they were last received. */
  #histogramSeriesSeen = 0
  /** Removed series and what came after them: not during a read, which may still use their slots. */
  #later: IndexMessage[] = []
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

  /** Receives the writer's messages. */
  receive(): void {
    // Before the messages: every counted series has been announced.
    this.#histogramSeriesSeen = this.memory.histogramSeries
    if (!this.#isReading) {
      const later = this.#later
      this.#later = []
      for (const message of later) this.#listener.received(message)
    }
    for (;;) {
      const received = receiveMessageOnPort(this.#share.port) as { readonly message: StoreMessage } | undefined
      if (received === undefined) return
      const { message } = received
      if (message.kind === 'slots') this.memory.addSlots(message.buffer)
      else if (message.kind === 'pages') this.memory.addPages(message.buffer)
      else this.#take(message)
    }
  }

  /** Call after samples were read: a reader that sees a first histogram then also has its announcement. */
  receiveHistograms(): void {
    if (this.memory.histogramSeries !== this.#histogramSeriesSeen) this.receive()
  }

  /** Runs `work` on the head; until it returns, nothing reachable is reused. */
  pinned<T>(work: () => T): T {
    this.memory.pin(this.#share.reader)
    try {
      // After the pin: series removed before the pin are released now; those removed later keep their slots.
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
    // In their order: a removed series may be there again, in another slot.
    const waits = message.kind === 'removed' || (message.kind === 'series' && this.#later.length > 0)
    if (this.#isReading && waits) this.#later.push(message)
    else this.#listener.received(message)
  }
}
