import { startDiscord } from '#platforms/discord/bot';
import { openDatabase } from '#storage/postgres/database';
import { createInboxStore, createWorkStore } from '#storage/postgres/work';
import { answererWith } from '../ask.ts';
import { silentLog } from '../log.ts';

/**
 * A program: one replica of the bot, with production timings unless others are given, until it's killed or
 * told to stop. If its test has died, its stdin closes, and it stops too.
 */
const { id, databaseUrl, token, apiUrl, deadAfterSeconds, timings } = JSON.parse(
  process.env.SETTINGS ?? '{}',
);
process.stdin.resume().once('end', () => process.exit());
const db = openDatabase(databaseUrl, silentLog);
const work = createWorkStore(db, { deadAfterSeconds });
let fault: unknown;
/** If the machine is too busy for one heartbeat, the next one will do. */
async function beat(): Promise<boolean> {
  try {
    await work.beat(id);
    return true;
  } catch (error) {
    fault = error;
    return false;
  }
}
for (const until = performance.now() + 50_000; !(await beat()); ) {
  if (performance.now() > until) throw new Error('no beat in 50 s', { cause: fault });
}
const beating = setInterval(beat, deadAfterSeconds * 100);
const adapter = startDiscord({
  token,
  apiUrl,
  replica: { id, work, inbox: createInboxStore(db) },
  answerer: answererWith(),
  log: silentLog,
  timings,
});
process.once('SIGTERM', async () => {
  await adapter.stop();
  clearInterval(beating);
  await work.leave(id);
  await db.close();
  process.stdin.destroy();
});
