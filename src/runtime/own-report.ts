/** What this process reports about itself with each heartbeat: the last figures of its parts. */
import type { ForwardReport, ProcessReport } from '../model/process-report.ts'

export class OwnReport {
  readonly #faults: () => readonly string[]
  #forward: ForwardReport | undefined
  #shipping: ProcessReport['shipping']

  /** @param faults what does not work, as sentences */
  constructor(faults: () => readonly string[]) {
    this.#faults = faults
  }

  get report(): Omit<ProcessReport, 'leases'> {
    return {
      ...(this.#forward && { forward: this.#forward }),
      ...(this.#shipping && { shipping: this.#shipping }),
      faults: this.#faults(),
    }
  }

  noteForward({ refused, ...rest }: ForwardReport): void {
    const reasons = Object.entries(refused).filter(([, samples]) => samples > 0)
    this.#forward = { ...rest, refused: Object.fromEntries(reasons) }
  }

  noteShipping(shipping: NonNullable<ProcessReport['shipping']>): void {
    this.#shipping = shipping
  }
}
