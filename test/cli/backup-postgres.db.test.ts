import { expect, it } from 'vitest';
import { fillStore, openQuietly } from '../support/filled-store.ts';
import { runHere } from '../support/import-cli.ts';
import { storePlaces } from '../support/store-places.ts';

const places = storePlaces();

it("A backup leaves a Postgres to its own programs, and finishes what they can't", async () => {
  const url = await places.newStore('postgres');
  await fillStore(url);
  const env = { DATABASE_URL: url };
  const backup = await runHere(['backup', 'b.db'], env);
  expect(backup).toMatchObject({ code: 2, stdout: '' });
  expect(backup.stderr).toContain('pg_dump --format=custom --no-owner --schema=fathom');
  const restore = await runHere(['restore', 'b.db'], env);
  expect(restore).toMatchObject({ code: 2, stdout: '' });
  expect(restore.stderr).toContain(
    'pg_restore --clean --if-exists --no-owner --single-transaction',
  );
  // The password is for nobody's terminal.
  expect(backup.stderr + restore.stderr).not.toContain(url);

  const store = await openQuietly(url);
  const webhooks = await store.webhooks.list();
  const active = webhooks.filter(({ pause }) => pause === undefined).length;
  expect(active).toBeGreaterThan(0);
  const done = await runHere(['restore'], env);
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('paused') });
  const after = await store.webhooks.list();
  expect(after.every(({ pause }) => pause !== undefined)).toBe(true);
  await store.close();
});
