import type { AuditEntry } from '../../../src/model/audit.ts'
import { daytwoIn } from '../../cli/run.ts'
import { Ledger } from '../ledger.ts'
import { NotNow, type Target } from '../target.ts'
import type { Load } from './load.ts'

/** Tokens by the command line, beside the server that has the same data; each second one is removed. */
export class TokenLoad implements Load {
  readonly name = 'tokens'
  readonly ledger = new Ledger()
  readonly pauseMs = 1000
  readonly #ids = new Map<number, string>()
  #number = 0
  #handled = 0

  async step(target: Target): Promise<void> {
    if (this.#number <= this.#handled) {
      const number = ++this.#number
      this.ledger.sent(`added ${number}`, target.position())
      const { stderr } = await this.#run(target, 'add', '--role', 'viewer', '--name', `chaos ${number}`)
      this.#ids.set(number, /token (\d+)/.exec(stderr)![1]!)
      this.ledger.acked(`added ${number}`, target.position())
      return
    }
    const number = ++this.#handled
    const id = this.#ids.get(number)
    if (number % 2 === 0 || id === undefined || !this.ledger.isAcked(`added ${number}`)) return
    this.ledger.sent(`removed ${number}`, target.position())
    await this.#run(target, 'remove', id)
    this.ledger.acked(`removed ${number}`, target.position())
  }

  async stored(target: Target, place: number): Promise<Iterable<string>> {
    const { stdout } = await this.#run(target, 'list')
    const there = [...stdout.matchAll(/ chaos (\d+)$/gm)].map(([, number]) => number!)
    const removed = this.ledger.keys(place).filter((key) => key.startsWith('removed'))
    const gone = removed.map((key) => key.replace('removed ', '')).filter((number) => !there.includes(number))
    return [
      ...there.map((number) => `added ${number}`),
      ...gone.flatMap((number) => [`added ${number}`, `removed ${number}`]),
    ]
  }

  async #run(target: Target, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    const ran = await daytwoIn(target.environment, 'token', ...args, '--data', target.dataPath)
    if (ran.code === 0) return ran
    // The disk is full or busy.
    throw new NotNow(`daytwo token: ${ran.stderr}`)
  }

  audited({ action, subject, detail }: AuditEntry): string | undefined {
    if (action === 'token.add') {
      const [, number] = /^chaos (\d+)$/.exec((JSON.parse(detail) as { readonly name: string }).name) ?? []
      return number === undefined ? undefined : `added ${number}`
    }
    if (action !== 'token.remove') return undefined
    const number = [...this.#ids].findLast(([n, id]) => id === subject && this.ledger.isSent(`removed ${n}`))?.[0]
    return number === undefined ? `removed ${subject}` : `removed ${number}`
  }
}
