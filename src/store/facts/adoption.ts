import { groupBy } from '../../base/group-by.ts'
import type { AdoptionDay, AdoptionReader, AdoptionRow, AdoptionSink, UsageRow } from '../../model/adoption.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'

type CubeColumns = [
  version: string,
  channel: string,
  platform: string,
  region: string,
  flavour: string,
  environment: string,
  clusters: number,
  vms: number,
  outdatedVms: number,
]
type UsageColumns = [subject: UsageRow['subject'], name: string, clusters: number, count: number]

/** Versions in use, per day. A day is written and read as a whole. */
export class SqlAdoption extends FactsTables implements AdoptionSink, AdoptionReader {
  async putDay(day: string, rows: readonly AdoptionRow[], usage: readonly UsageRow[], nowMs: number): Promise<void> {
    const byOperator = groupBy(rows, ({ operator }) => operator)
    const cubes = [...byOperator].map(([operator, own]) => ({
      day,
      operator,
      rows: JSON.stringify(own.map(columnsOf)),
    }))
    const columns = usage.map(({ subject, name, clusters, count }): UsageColumns => [subject, name, clusters, count])
    await this.transact('writing what ran on a day', async (transaction) => {
      await transaction.deleteFrom('adoption_cube').where('day', '=', day).execute()
      if (cubes.length > 0) await transaction.insertInto('adoption_cube').values(cubes).execute()
      await replaceRows(transaction, 'adoption_day', [{ day, updated_at_ms: nowMs, usage: JSON.stringify(columns) }])
    })
  }

  async rows(operator: string, fromDay: string, toDay: string): Promise<readonly AdoptionRow[]> {
    const found = await this.run('reading what ran', (db) =>
      db
        .selectFrom('adoption_cube')
        .select(['day', 'rows'])
        .where('operator', '=', operator)
        .where('day', '>=', fromDay)
        .where('day', '<=', toDay)
        .orderBy('day')
        .execute(),
    )
    return found.flatMap(({ day, rows }) =>
      (JSON.parse(rows) as CubeColumns[]).map((columns) => rowOf(day, operator, columns)),
    )
  }

  async usage(fromDay: string, toDay: string): Promise<readonly UsageRow[]> {
    const found = await this.run('reading what was used', (db) =>
      db
        .selectFrom('adoption_day')
        .select(['day', 'usage'])
        .where('day', '>=', fromDay)
        .where('day', '<=', toDay)
        .orderBy('day')
        .execute(),
    )
    return found.flatMap(({ day, usage }) =>
      (JSON.parse(usage) as UsageColumns[]).map(([subject, name, clusters, count]) => {
        return { day, subject, name, clusters, count }
      }),
    )
  }

  async days(): Promise<readonly AdoptionDay[]> {
    const found = await this.run('reading which days were counted', (db) =>
      db.selectFrom('adoption_day').select(['day', 'updated_at_ms']).orderBy('day').execute(),
    )
    return found.map(({ day, updated_at_ms: updatedMs }) => ({ day, updatedMs }))
  }

  async operators(): Promise<readonly string[]> {
    const found = await this.run('reading which operators ran', (db) =>
      db.selectFrom('adoption_cube').select('operator').distinct().orderBy('operator').execute(),
    )
    return found.map(({ operator }) => operator)
  }
}

function columnsOf(row: AdoptionRow): CubeColumns {
  const { version, channel, platform, region, flavour, environment, clusters, vms, outdatedVms } = row
  return [version, channel, platform, region, flavour, environment, clusters, vms, outdatedVms]
}

function rowOf(day: string, operator: string, columns: CubeColumns): AdoptionRow {
  const [version, channel, platform, region, flavour, environment, clusters, vms, outdatedVms] = columns
  return { day, operator, version, channel, platform, region, flavour, environment, clusters, vms, outdatedVms }
}
