import { sql } from 'kysely'
import type { ElectionStore, SeenPair, SharedElection } from '../../model/ha-election.ts'
import type { RunFacts } from '../facts/facts-tables.ts'

/** Of an HA pair one replica for all processes: times are by the clock of the database. */
export class SqlElections implements ElectionStore {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  async exchange(pairs: readonly SeenPair[], failoverAfterMs: number): Promise<readonly SharedElection[]> {
    if (pairs.length === 0) return []
    const delivered = pairs.filter((pair) => pair.delivered !== undefined)
    return this.#run('sharing elections of replicas', async (db) => {
      if (delivered.length > 0) {
        await sql`
          INSERT INTO ha_election (cluster, pair_group, replica, seen)
            SELECT *, clock_timestamp() FROM unnest(
              ${delivered.map(({ cluster }) => cluster)}::text[],
              ${delivered.map(({ group }) => group)}::text[],
              ${delivered.map((pair) => pair.delivered)}::text[]
            ) AS delivered (cluster, pair_group, replica) ORDER BY 1, 2
          ON CONFLICT (cluster, pair_group) DO UPDATE SET replica = excluded.replica, seen = excluded.seen
            WHERE ha_election.replica = excluded.replica
              OR ha_election.seen <= clock_timestamp() - ${failoverAfterMs} * interval '1 millisecond'
        `.execute(db)
      }
      const { rows } = await sql<SharedElection>`
        SELECT cluster, pair_group AS "group", replica,
          (extract(epoch FROM clock_timestamp() - seen) * 1000)::bigint AS "silentMs"
        FROM ha_election WHERE (cluster, pair_group) IN (
          SELECT * FROM unnest(${pairs.map(({ cluster }) => cluster)}::text[], ${pairs.map(({ group }) => group)}::text[])
        )
      `.execute(db)
      return rows
    })
  }
}
