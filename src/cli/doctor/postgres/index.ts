import { type CheckFinding, fail, messageOf, ok } from '#base';
import { checkData, checkSize, liveReplicas } from './contents.ts';
import { inReadOnlySession, type SelectRow } from './read-only-session.ts';
import { checkSchema } from './schema.ts';
import { checkConnections, checkEncryption, checkServer, checkSettings } from './server.ts';

export interface PostgresReport {
  readonly findings: readonly CheckFinding[];
  /** Number of live replicas; 0 if unknown. */
  readonly replicas: number;
  /** What the live replicas say to each other. */
  readonly notices: readonly string[];
  /** How much data there is; undefined if unknown. */
  readonly data?: CheckFinding;
}

/** Checks a Postgres database without changing it. */
export async function checkPostgres(url: string): Promise<PostgresReport> {
  try {
    return await inReadOnlySession(url, lookAround);
  } catch (error) {
    return { findings: [fail('database', messageOf(error))], replicas: 0, notices: [] };
  }
}

async function lookAround(select: SelectRow): Promise<PostgresReport> {
  const server = await checkServer(select);
  // Nothing else matters on a server that has to be replaced.
  if (server.level !== 'ok') return { findings: [server], replicas: 0, notices: [] };
  const schema = await checkSchema(select);
  const findings = [server, schema.finding, ...(await checkSettings(select))];
  findings.push(await checkConnections(select), await checkEncryption(select));
  if (!schema.isNewest) return { findings, replicas: 0, notices: [] };
  const { live, notices } = await liveReplicas(select);
  findings.push(ok('replicas', `${live} live`), await checkSize(select));
  return { findings, replicas: live, notices, data: await checkData(select) };
}
