/** Where a feature gate is set: in HyperConverged itself, or past it by a JSON patch of what it deploys. */
export const GATE_SOURCES = ['hyperconverged', 'jsonpatch'] as const
type GateSource = (typeof GATE_SOURCES)[number]

/** One cluster sets a feature gate in one place. */
export interface GateUse {
  readonly cluster: string
  /** The version of HCO; absent: not reported. */
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

/** All gates that are set, by name; `telling`: the number of clusters whose HyperConverged is reported. */
export interface FeatureGates {
  readonly telling: number
  readonly gates: readonly Gate[]
}
