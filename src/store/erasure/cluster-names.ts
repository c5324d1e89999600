import type Database from 'better-sqlite3'

/** The names under which data of a cluster is stored: its own, those joined with it, and those its senders gave it. */
export function namesOfCluster(db: Database.Database, cluster: string): readonly string[] {
  const joined = db
    .prepare<[string], string>('SELECT joined FROM observed_cluster WHERE name = ? AND joined IS NOT NULL')
    .pluck()
    .get(cluster)
  const main = joined ?? cluster
  const others = db
    .prepare<{ main: string }, string>(
      `SELECT name FROM observed_cluster WHERE joined = @main
         UNION SELECT name FROM cluster_claim WHERE refusal IS NULL AND cluster IN
           (SELECT @main UNION SELECT name FROM observed_cluster WHERE joined = @main)`,
    )
    .pluck()
    .all({ main })
  return [...new Set([main, cluster, ...others])]
}

/** Tables that have a row of every cluster that was ever observed in the one or the other way, except by its series. */
const PLACES = [
  'SELECT 1 FROM observed_cluster WHERE name = ?',
  'SELECT 1 FROM fleet_cluster WHERE cluster = ?',
  'SELECT 1 FROM cluster_claim WHERE cluster = ?',
  'SELECT 1 FROM log_source WHERE cluster = ?',
  'SELECT 1 FROM alert_run WHERE cluster = ?',
  'SELECT 1 FROM upgrade_trace WHERE cluster = ?',
]

export function isKnownCluster(db: Database.Database, cluster: string): boolean {
  return PLACES.some((sql) => db.prepare<[string]>(sql).get(cluster) !== undefined)
}
