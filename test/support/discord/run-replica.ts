import { startDiscord } from '#platforms/discord/adapter';
import { openDatabase } from '#stores/postgres/database';
import { createInboxStore } from '#stores/postgres/work/inbox';
import { createWorkStore } from '#stores/postgres/work/work';
import { answererWith } from '../ask.ts';
import { silentLog } from '../log.ts';

/** A program: one replica of the bot, with the waits of every day, until it is killed or told to end. */
const { id, databaseUrl, token, apiUrl, deadAfterSeconds } = JSON.parse(
  process.env.SETTINGS ?? '{}',
);
const db = openDatabase(databaseUrl, silentLog);
const work = createWorkStore(db, { deadAfterSeconds });
// One that its test has left behind, with its database, ends too.
const live = async () => {
  try {
    await work.beat(id);
  } catch {
    process.exit(1);
  }
};
await live();
const beating = setInterval(live, (deadAfterSeconds * 1000) / 3);
const adapter = startDiscord({
  token,
  apiUrl,
  replica: { id, work, inbox: createInboxStore(db) },
  answerer: answererWith(),
  log: silentLog,
});
process.once('SIGTERM', async () => {
  await adapter.stop();
  clearInterval(beating);
  await work.leave(id);
  await db.close();
});
