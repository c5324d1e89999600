/** A writer, a forwarder and a receiver in one process: real files and HTTP, and a clock that the test moves. */
import { afterEach } from 'vitest'
import type { RemoteHttpOptions } from '../../src/forward/remote-http.ts'
import { createRemoteHttp } from '../../src/forward/remote-http.ts'
import { Forwarder } from '../../src/forward/forwarder.ts'
import type { ForwardOptions } from '../../src/forward/options.ts'
import { openSampleLog, type SampleLog } from '../../src/store/log/sample-log.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { NOW_MS, TempStore, type TestOptions } from '../store/temp-store.ts'
import { RemoteReceiver } from './remote-receiver.ts'

export interface RigOptions extends Partial<ForwardOptions> {
  readonly store?: TestOptions
  readonly timeoutMs?: number
  readonly http?: Partial<RemoteHttpOptions>
}

const cleanups: (() => void | Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const BUFFER_BYTES_MAX = 1024 * 1024 * 1024

export class Rig {
  readonly clock = new FakeClock(NOW_MS)
  readonly receiver = new RemoteReceiver()
  readonly store: TempStore
  forwarder!: Forwarder
  readonly #options: RigOptions
  #source: SampleLog | undefined

  static async start(options: RigOptions = {}): Promise<Rig> {
    const rig = new Rig(options)
    await rig.receiver.start()
    cleanups.push(() => rig.receiver.close())
    rig.startForwarder()
    cleanups.push(() => {
      rig.stopForwarder()
    })
    return rig
  }

  constructor(options: RigOptions) {
    this.#options = options
    this.store = new TempStore({ forwardBufferBytesMax: BUFFER_BYTES_MAX, ...options.store })
  }

  startForwarder(): void {
    const { timeoutMs, http, ...more } = this.#options
    const options: ForwardOptions = {
      kind: 'prometheus',
      writeUrl: `${this.receiver.url}/api/v1/write`,
      queryUrl: this.receiver.url,
      connections: 2,
      resendWindowMs: 300_000,
      ...more,
    }
    this.#source = openSampleLog(this.store.options.dir)
    const remote = createRemoteHttp(
      { ca: undefined, tenantHeaders: {}, readHeaders: () => ({}), connections: options.connections, ...http },
      timeoutMs,
    )
    this.forwarder = new Forwarder({ options, source: this.#source, http: remote, clock: this.clock, random: () => 0 })
    this.forwarder.start()
  }

  /** As a crash: what is not stored is lost. */
  stopForwarder(): void {
    this.forwarder.stop()
    this.#source?.close()
  }

  restartForwarder(): void {
    this.stopForwarder()
    this.startForwarder()
  }

  /** Appends a sample to each series and commits them in one log row. */
  async append(samples: readonly (readonly [series: string, timeMs: number, value: number])[]): Promise<void> {
    for (const [name, timeMs, value] of samples) {
      this.store.writer.appender.append(this.store.resolve({ __name__: name, cluster: 'prague' }), timeMs, value)
    }
    await this.store.writer.commit()
  }

  /** As main does once a second. */
  async storeProgress(): Promise<void> {
    this.store.writer.forwarded(this.forwarder.progress)
    await this.store.writer.commit()
  }

  /** Moves the clock until `isDone`: what waits for HTTP takes real time. */
  async until(what: string, isDone: () => boolean, stepMs = 250): Promise<void> {
    const endMs = performance.now() + 10_000
    while (!isDone()) {
      if (performance.now() > endMs) {
        throw new Error(`waited for ${what}: ${JSON.stringify(this.forwarder.status(), undefined, 1)}`)
      }
      this.clock.advance(stepMs)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  /** Until everything that was committed is acknowledged. */
  async drained(): Promise<void> {
    await this.until('everything to be acknowledged', () => {
      const { progress, newestRow } = this.forwarder.status()
      return progress.row === newestRow
    })
  }
}
