/** A released bundle of HCO, as its repository has it. */
export interface Release {
  /** Of the CSV: `kubevirt-hyperconverged-operator.v1.18.0`. */
  readonly name: string
  readonly version: string
  /** The CSV that it replaces; null: none. */
  readonly replaces: string | null
  readonly skips: readonly string[]
  /** In OLM's syntax (blang semver); null: none. */
  readonly skipRange: string | null
  readonly minKubeVersion: string | null
  readonly properties: readonly { readonly type: string; readonly value: unknown }[]
  /** The tag at which the row was read; `main`: not released yet. */
  readonly seenAt: string
  /** Versions of the operands, by name: `kubevirt`, `cdi`, `cnao`, `ssp`, `hpp`, `aaq`; empty: not known. */
  readonly operands: Readonly<Record<string, string>>
}
