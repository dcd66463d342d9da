import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workplace } from '../support/import-cli.ts';

const rule = (id: string, event: string, more = '') =>
  `  - {id: ${id}, on: {import: ${event}}, ${more}give: {type: given, points: 5}}`;
const RULES = [
  ...['fathom: 1', 'name: reef', 'version: 1', 'rules:'],
  rule('misspelt', 'workshop_atended'),
  rule('unheard', 'workshop_attended', 'where: {houres: {gte: 2}}, '),
  rule('too-much', 'workshop_attended', 'where: {hours: {gte: 200}}, '),
  rule('good', 'workshop_attended', 'where: {hours: {gte: 2}}, '),
  '  - {id: by-hours, on: {import: workshop_attended}, give: {type: given, points: {of: hours, per: 50, each: 1, most: 9}}}',
].join('\n');

/** Where somebody came to a workshop for three hours, and to another one by mistake. */
async function attended(rules = RULES) {
  const place = workplace({ 'rules.yaml': rules });
  const event = { kind: 'event', event: 'workshop_attended', source: 'w', args: { hours: 3 } };
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const own = { ...event, address, timestamp: '2024-01-15T00:00:00Z' };
  const other = { ...own, source: 'v' };
  const lines = [own, other, { ...other, kind: 'retraction', args: undefined, reason: 'no' }];
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(join(place.cwd, 'lines.ndjson'), text);
  expect(await place.runHere(['import', 'lines.ndjson'])).toMatchObject({ code: 0 });
  return place;
}

it('fathom rules check and rehearse name rules that give nothing for what was imported', async () => {
  const place = await attended();
  for (const command of ['check', 'rehearse']) {
    const { code, stderr } = await place.runHere(['rules', command, 'rules.yaml']);
    const notes = stderr.split('\n').filter((line) => line.startsWith('Note: Rule '));
    expect(code).toBe(0);
    expect(notes).toEqual([
      expect.stringMatching(/^Note: Rule misspelt .*workshop_atended.*workshop_attended\.$/),
      expect.stringMatching(/^Note: Rule unheard .* 2 imported events.* hours\.$/),
      expect.stringMatching(/^Note: Rule too-much .* 2 imported events.* hours\.$/),
      expect.stringMatching(/^Note: Rule by-hours .* 2 imported events.* hours\.$/),
    ]);
  }
});

it('fathom rules check names values that a rule needs as whole numbers and are none', async () => {
  const take = 'points: {of: hours, per: 1, each: 1, most: 9}';
  const place = workplace({
    'rules.yaml': `fathom: 1
name: reef
version: 1
rules:
${rule('sized', 'workshop_attended', 'where: {hours: {gte: 2}, room: {eq: "1.5"}}, ')}
  - {id: by-hours, on: {import: workshop_attended}, give: {type: given, ${take}}}`,
    'guests.csv': `address,hours,room
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed,3,1.5
0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359,2.5,1.5
0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB,"1,000",1.5
`,
  });
  const map = 'address=address,hours=hours,room=room';
  const options = ['--event', 'workshop_attended', '--at', '2024-01-15', '--map', map, '--yes'];
  expect(await place.runHere(['import', 'guests.csv', ...options])).toMatchObject({ code: 0 });
  const { stderr } = await place.runHere(['rules', 'check', 'rules.yaml']);
  expect(stderr.split('\n').filter((line) => line.startsWith('Note: Rule '))).toEqual([
    expect.stringMatching(/^Note: Rule sized .*hours.* 2 of 3 imported events.*"(2\.5|1,000)"/),
    expect.stringMatching(/^Note: Rule by-hours .*hours.* 2 of 3 imported events/),
  ]);
});

it('Doctor warns of a rule about an event of a name that was never imported', async () => {
  const place = await attended();
  const { stdout } = await place.runHere(['doctor'], { RULES: 'rules.yaml' });
  const rows = stdout.split('\n').filter((line) => /^\w+ +rules /.test(line));
  expect(rows).toEqual([
    expect.stringMatching(/^ok /),
    expect.stringMatching(/^warn +rules +Rule misspelt .*workshop_atended.*workshop_attended\.$/),
  ]);
});

it('Rules wait in silence for the first import, as nothing can be said of them yet', async () => {
  const place = workplace({ 'rules.yaml': RULES, 'none.ndjson': '' });
  await place.runHere(['import', 'none.ndjson']);
  expect((await place.runHere(['rules', 'check', 'rules.yaml'])).stderr).not.toContain('Rule ');
  const { stdout } = await place.runHere(['doctor'], { RULES: 'rules.yaml' });
  expect(stdout).not.toContain('misspelt');
});
