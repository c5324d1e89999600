import { createGraphImports, type GraphImports } from '../../src/fleet/graph/imports.ts'
import type { GraphImport } from '../../src/model/graph-import.ts'

/** Imports that are not stored. */
export function memoryGraphImports(stored = new Map<string, GraphImport>()): GraphImports {
  return createGraphImports(
    {
      list: () => Promise.resolve([...stored.values()]),
      put: (one) => Promise.resolve(void stored.set(one.name, one)),
      remove: (name) => Promise.resolve(stored.delete(name)),
    },
    () => Promise.resolve(),
  )
}
