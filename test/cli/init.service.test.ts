import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TEMPLATE_NAMES } from '#scoring/rules-file/templates/template';
import { DiscordStandIn } from '../../bench/servers/discord/stand-in.ts';
import { TelegramStandIn } from '../../bench/servers/telegram/stand-in.ts';
import { runCli, workplace } from '../support/import-cli.ts';
import { CTRL_C, DOWN, ENTER, inTerminal, SPACE } from '../support/in-terminal.ts';

const RULES = 'event-guests event=came points=7 ; event-guests id=workshops event=workshop';

/** A folder in which nothing is set up, whose settings are those of its own `.env`. */
function freshPlace() {
  const { cwd } = workplace();
  const paths = { env: join(cwd, '.env'), rules: join(cwd, 'rules.yaml') };
  const env = { FATHOM_ENV_FILE: paths.env, PORT: '0', METRICS_PORT: '0' };
  return { cwd, env, paths, read: (path: string) => readFileSync(path, 'utf8') };
}

async function openBots() {
  const discord = new DiscordStandIn();
  await discord.open();
  onTestFinished(() => discord.close());
  const telegram = await TelegramStandIn.open();
  onTestFinished(() => telegram.close());
  const apis = { DISCORD_API_URL: discord.apiUrl, TELEGRAM_API_URL: telegram.apiUrl };
  return { discord, telegram, apis };
}

it('Options answer every question: tokens are tried, and links invite the bots', async () => {
  const { discord, telegram, apis } = await openBots();
  const { cwd, env, paths, read } = freshPlace();
  const tokens = { DISCORD_TOKEN: discord.token, TELEGRAM_TOKEN: telegram.token };
  const args = [
    'init',
    '--yes',
    '--database',
    'sqlite:./own.db',
    '--name',
    'Reef',
    '--rules',
    RULES,
  ];
  const done = await runCli(args, { cwd, env: { ...env, ...apis, ...tokens } });
  expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(
    /https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+&scope=applications\.commands\+bot&permissions=268435584/,
  );
  expect(done.stdout).toMatch(
    /https:\/\/t\.me\/\w+\?startgroup=true&admin=invite_users\+restrict_members/,
  );
  expect(done.stdout).toContain('npm start');
  expect(done.stdout).toContain("own.db doesn't exist yet. Starting Fathom creates it");
  expect(done.stdout).toContain(`npm run fathom -- rules check ${paths.rules}\n`);
  for (const event of ['came', 'workshop'])
    expect(done.stdout).toContain(`npm run fathom -- import guests.csv --event ${event}\n`);
  for (const token of Object.values(tokens)) expect(done.stdout + done.stderr).not.toContain(token);
  expect(statSync(paths.env).mode & 0o777).toBe(0o600);
  expect(read(paths.env)).toContain(`DISCORD_TOKEN=${discord.token}\n`);
  expect(read(paths.rules)).toContain('on: {import: came}');
  expect(await runCli(['rules', 'check', paths.rules], { cwd, env })).toMatchObject({ code: 0 });
  // Once is enough: nothing that's there is ever changed.
  const before = [read(paths.env), read(paths.rules)];
  const again = await runCli(args, { cwd, env });
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${paths.env} is there already`),
  });
  expect([read(paths.env), read(paths.rules)]).toEqual(before);
});

it('A token that the platform rejects, or rules that are there, leave nothing behind', async () => {
  const { apis } = await openBots();
  const { cwd, env, paths, read } = freshPlace();
  const args = ['init', '--yes', '--rules', RULES];
  const DISCORD_TOKEN = 'not-a-token-of-theirs';
  const wrong = await runCli(args, { cwd, env: { ...env, ...apis, DISCORD_TOKEN } });
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('DISCORD_TOKEN: Discord rejects'),
  });
  expect(wrong.stderr).not.toContain(DISCORD_TOKEN);
  expect([existsSync(paths.env), existsSync(paths.rules)]).toEqual([false, false]);
  writeFileSync(paths.rules, 'mine');
  const taken = await runCli(args, { cwd, env });
  expect(taken).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rules.yaml is there already'),
  });
  expect([existsSync(paths.env), read(paths.rules)]).toEqual([false, 'mine']);
});

it('A folder that cannot be written to is named before anything is asked or looked up', async () => {
  const { cwd, env } = freshPlace();
  const FATHOM_ENV_FILE = join(cwd, 'missing', '.env');
  const done = await runCli(['init', '--yes', '--rules', RULES], {
    ...{ cwd, env: { ...env, FATHOM_ENV_FILE } },
  });
  const words = `This user can't write to ${join(cwd, 'missing')}, where .env belongs.`;
  expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(`^${words}`) });
});

it('Where nobody can be asked, it says what is missing', async () => {
  const { cwd, env, paths } = freshPlace();
  const { code, stderr } = await runCli(['init'], { cwd, env });
  expect(code).toBe(2);
  for (const each of ['--database', '--discord-token', '--telegram-token', '--rules', '--yes']) {
    expect(stderr).toContain(each);
  }
  expect(existsSync(paths.env)).toBe(false);
});

it('In a terminal, arrow keys and return set everything up', async () => {
  const place = freshPlace();
  const { output, code } = await inTerminal(
    place,
    ['init'],
    [
      ['Where should data be kept?', ENTER],
      ['Which bots should run?', ENTER],
      ['What should count?', DOWN.repeat(TEMPLATE_NAMES.indexOf('event-guests')) + SPACE + ENTER],
      ['What is your community called?', `Reef${ENTER}`],
      ['Name of the imported event', ENTER],
      ['Points for each event attended', `30${ENTER}`],
      ['Write ', ENTER],
    ],
  );
  expect(output).toContain('Start it:');
  expect(code, output).toBe(0);
  expect(place.read(place.paths.env)).toContain('DATABASE_URL=sqlite:./data/fathom.db\n');
  expect(place.read(place.paths.rules)).toContain('give: {type: event_attended, points: 30');
});

it('Ctrl-C leaves nothing behind', async () => {
  const place = freshPlace();
  const { output, code } = await inTerminal(
    place,
    ['init'],
    [
      ['Where should data be kept?', ENTER],
      ['Which bots should run?', CTRL_C],
    ],
  );
  expect(output).toContain('Nothing was written.');
  expect(code).toBe(130);
  expect([existsSync(place.paths.env), existsSync(place.paths.rules)]).toEqual([false, false]);
});
