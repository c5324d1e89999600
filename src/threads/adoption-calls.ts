/** What the query worker answers about adoption: the book of daily cubes stands there, beside what they are read from. */
import type { ApiAdoption } from '../api/fleet/adoption.ts'
import { AdoptionBook } from '../fleet/adoption/book.ts'
import type { AdoptionAnswer, AdoptionAsk } from '../fleet/adoption/book.ts'
import type { AdoptionDay, AdoptionReader, UsageRow } from '../model/adoption.ts'
import type { Remote } from './rpc.ts'

export type AdoptionCalls = {
  adoption(asked: AdoptionAsk): Promise<AdoptionAnswer>
  adoptionUsage(fromDay: string, toDay: string): Promise<readonly UsageRow[]>
  adoptionDays(): Promise<readonly AdoptionDay[]>
  adoptionOperators(): Promise<readonly string[]>
}

/** On the query worker. */
export function adoptionCalls(reader: AdoptionReader, book = new AdoptionBook(reader)): AdoptionCalls {
  return {
    adoption: (asked) => book.ask(asked),
    adoptionUsage: (fromDay, toDay) => reader.usage(fromDay, toDay),
    adoptionDays: () => reader.days(),
    adoptionOperators: () => reader.operators(),
  }
}

/** On main: the calls under the names the API asks by. */
export function adoptionOf(query: Remote<AdoptionCalls>): ApiAdoption {
  return {
    ask: (asked) => query.adoption(asked),
    usage: (fromDay, toDay) => query.adoptionUsage(fromDay, toDay),
    days: () => query.adoptionDays(),
    operators: () => query.adoptionOperators(),
  }
}
