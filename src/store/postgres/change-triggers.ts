import type { ChangeTopic } from '../../model/stored-change.ts'

/**
 * Tells all processes what changed, at the commit: a list of topic, name of the connection that wrote, and subject, as JSON.
 * Triggers send it, whatever code writes. PostgreSQL sends equal messages of a transaction once.
 */

/** The channel of LISTEN. */
export const CHANGE_CHANNEL = 'daytwo'

/** Changed as a whole: readers read them again. */
const TABLES = [
  'silence',
  'acknowledgement',
  'external_alert',
  'decommission',
  'token',
  'session',
] as const satisfies readonly ChangeTopic[]

/** Tables of facts about a cluster; the subject is the cluster. */
const OF_CLUSTERS = ['fleet_cluster', 'upgrade', 'version_interval', 'modification'] as const

/** A message may have 8,000 bytes. */
const SUBJECT_BYTES_MAX = 6000

export const CHANGE_TRIGGERS = `
  CREATE FUNCTION tell_change(topic text, subject text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('${CHANGE_CHANNEL}', json_build_array(topic, current_setting('application_name'),
      CASE WHEN octet_length(subject) > ${SUBJECT_BYTES_MAX} THEN '' ELSE subject END)::text);
  $$;
  CREATE FUNCTION tell_table() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM tell_change(TG_TABLE_NAME, '');
    RETURN NULL;
  END $$;
  CREATE FUNCTION tell_cluster() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM tell_change('cluster', CASE TG_OP WHEN 'DELETE' THEN OLD.cluster ELSE NEW.cluster END);
    RETURN NULL;
  END $$;
  CREATE FUNCTION tell_group() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM tell_change('alert_state', CASE TG_OP WHEN 'DELETE' THEN OLD.group_key ELSE NEW.group_key END);
    RETURN NULL;
  END $$;
  CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON alert_state FOR EACH ROW EXECUTE FUNCTION tell_group();
  ${TABLES.map((table) => triggerOf(table, 'STATEMENT', 'tell_table')).join('\n  ')}
  ${OF_CLUSTERS.map((table) => triggerOf(table, 'ROW', 'tell_cluster')).join('\n  ')}
`

function triggerOf(table: string, each: 'ROW' | 'STATEMENT', run: string): string {
  return `CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ${each} EXECUTE FUNCTION ${run}();`
}
