import { messageOf } from '#core/errors';
import { type Finding, fail, ok } from '#runtime/finding';
import { type Ask, asking } from './ask.ts';
import { checkData, checkSize, liveReplicas } from './contents.ts';
import { checkSchema } from './schema.ts';
import { checkConnections, checkEncryption, checkServer, checkSettings } from './server.ts';

export interface PostgresLook {
  readonly findings: readonly Finding[];
  /** Replicas that live now; 0 where that can't be told. */
  readonly replicas: number;
  /** How much is in it; undefined where that can't be told. */
  readonly data?: Finding;
}

/** Looks at a database of Postgres without changing it. */
export async function checkPostgres(url: string): Promise<PostgresLook> {
  try {
    return await asking(url, lookAround);
  } catch (error) {
    return { findings: [fail('database', messageOf(error))], replicas: 0 };
  }
}

async function lookAround(ask: Ask): Promise<PostgresLook> {
  const server = await checkServer(ask);
  // Nothing else is worth a look on a server that has to be changed.
  if (server.level !== 'ok') return { findings: [server], replicas: 0 };
  const schema = await checkSchema(ask);
  const findings = [server, schema.finding, ...(await checkSettings(ask))];
  findings.push(await checkConnections(ask), await checkEncryption(ask));
  if (!schema.isNewest) return { findings, replicas: 0 };
  const replicas = await liveReplicas(ask);
  findings.push(ok('replicas', `${replicas} live now`), await checkSize(ask));
  return { findings, replicas, data: await checkData(ask) };
}
