import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workplace } from '../support/import-cli.ts';

it('Scores of a rehearsal say which sources they lack while nothing is live', async () => {
  const place = workplace();
  const event = { kind: 'event', event: 'came', timestamp: '2024-01-15T00:00:00Z', source: 'w' };
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  writeFileSync(join(place.cwd, 'lines.ndjson'), JSON.stringify({ ...event, address }));
  expect(await place.runHere(['import', 'lines.ndjson'])).toMatchObject({ code: 0 });
  for (const words of ['event-guests --event came', 'snapshot --space reef.eth']) {
    await place.runHere(['rules', 'add', ...words.split(' ')]);
  }
  const words = "Note: these scores lack what isn't read yet (snap: not begun).";
  for (const command of ['rehearse', 'check']) {
    const done = await place.runHere(['rules', command, 'rules.yaml']);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(words) });
    expect(done.stdout).toContain('1 wallet by tier');
  }
});
