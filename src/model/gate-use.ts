/** Where a feature gate is set: in HyperConverged, or out of band by a JSON patch. */
export const GATE_SOURCES = ['hyperconverged', 'jsonpatch'] as const
type GateSource = (typeof GATE_SOURCES)[number]

/** One cluster sets a feature gate in one place. */
export interface GateUse {
  readonly cluster: string
  /** The version of HCO; absent: not reported. */
  readonly version?: string
  readonly gate: string
  readonly isOn: boolean
  readonly source: GateSource
  /** The patched operand. */
  readonly component?: string
  /** Since when it is set so, and the field manager that set it; absent: not known. */
  readonly sinceMs?: number
  readonly by?: string
}

/** A feature gate with all clusters that set it, case-insensitive. */
export interface Gate {
  readonly gate: string
  /** Patches first, then enabled, then disabled; by cluster. */
  readonly uses: readonly GateUse[]
}

/** All gates that are set, by name; `telling`: the number of clusters whose HyperConverged is reported. */
export interface FeatureGates {
  readonly telling: number
  readonly gates: readonly Gate[]
}
