/** A signed-in person and the sessions in which they are. */

/** As the identity provider or a trusted proxy describes them. */
export interface Person {
  /** Never reassigned: issuer and subject at the identity provider. */
  readonly key: string
  /** For display and the audit. */
  readonly name: string
  /** Those that give a role. */
  readonly groups: readonly string[]
}

/** One browser in which a person signed in. Of its cookie only the SHA-256 is stored, lower-case hex. */
export interface SessionRecord extends Person {
  /** A UUID. */
  readonly id: string
  readonly hash: string
  /** Of the next cookie, which was sent and has not come back yet. */
  readonly nextHash?: string
  readonly startedAtMs: number
  readonly rotatedAtMs: number
  /** As of the last rotation. */
  readonly lastSeenMs: number
}
