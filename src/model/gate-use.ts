/** Where a feature gate is set: in HyperConverged itself, or past it by a JSON patch of what it deploys. */
export const GATE_SOURCES = ['hyperconverged', 'jsonpatch'] as const
type GateSource = (typeof GATE_SOURCES)[number]

/** One cluster sets a feature gate in one place. */
export interface GateUse {
  readonly cluster: string
  /** Of HCO; absent: not told. */
  readonly version?: string
  /** As it is spelled there. */
  readonly gate: string
  readonly isOn: boolean
  readonly source: GateSource
  /** Of a patch: what it patches, and since when; absent since: not known. */
  readonly component?: string
  readonly sinceMs?: number
}

/** A feature gate with all who set it. HyperConverged and the operands spell some alike but for case: that is one gate. */
export interface Gate {
  readonly gate: string
  /** Patches first, then who has it on, then who has it off; by cluster. */
  readonly uses: readonly GateUse[]
}

/** Every gate that is set, by name; `telling`: clusters whose HyperConverged is told, so that what it sets is known. */
export interface FeatureGates {
  readonly telling: number
  readonly gates: readonly Gate[]
}
