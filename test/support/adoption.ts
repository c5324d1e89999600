import { AdoptionIndex } from '../../src/fleet/adoption/adoption-index.ts'
import type { ApiAdoption } from '../../src/api/fleet/adoption.ts'
import type { AdoptionReader } from '../../src/model/adoption.ts'

/** Adoption as the API asks for it, without threads. */
export function adoptionOver(reader: AdoptionReader): ApiAdoption {
  return new AdoptionIndex(reader)
}

/** Of a fleet of which no day was counted. */
export function emptyAdoption(): ApiAdoption {
  const none = (): Promise<never[]> => Promise.resolve([])
  return adoptionOver({ rows: none, usage: none, days: none, operators: none })
}
