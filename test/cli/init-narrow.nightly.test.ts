import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { TEMPLATE_NAMES } from '#scoring/rules-file/templates/template';
import { workplace } from '../support/import-cli.ts';
import { CTRL_C, DOWN, ENTER, inTerminal, SPACE } from '../support/in-terminal.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';

const COLUMNS = 40;

it('In a narrow terminal, what init says is broken between words, beside its line', async () => {
  const { cwd } = workplace();
  const env = { FATHOM_ENV_FILE: join(cwd, '.env'), PORT: '0', METRICS_PORT: '0' };
  const guests = TEMPLATE_NAMES.indexOf('event-guests');
  const { output } = await inTerminal(
    { cwd, env, columns: COLUMNS },
    ['init'],
    [
      ['Where should data be kept?', ENTER],
      ['Which bots should run?', ENTER],
      ['What should count?', DOWN.repeat(guests) + SPACE + ENTER],
      ['your community called?', `Reef${ENTER}`],
      ['Name of the imported event', ENTER],
      ['Points for each event', ENTER],
      ['Write ', CTRL_C],
    ],
  );
  const screen = new TerminalScreen(COLUMNS);
  screen.write(output);
  const rows = screen.text.split('\n').map((row) => row.trimEnd());
  const from = rows.findIndex((row) => row.includes('event-guests: '));
  const said = rows.slice(from, rows.indexOf('│', from));
  expect(said.every((row) => row.startsWith('│  ') && row.length <= COLUMNS)).toBe(true);
  const whole = said.map((row) => row.slice(1).trim()).join(' ');
  const { rules: words } = textsFor('en');
  const each = words.forEach('25 points', words.event.imported('workshop_attended'));
  expect(whole).toBe(`event-guests: ${each}; ${words.capPer('250 points', '365 days')}.`);
  expect(screen.text).toContain('Nothing was written.');
});
