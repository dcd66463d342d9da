import type { CliCommand } from './command.ts';
import { formatTable } from './table.ts';

export const doctorCommand: CliCommand = {
  name: 'doctor',
  synopsis: '',
  summary: 'check configuration, database, disk and ports',
  help: `Changes nothing. Each line starts with ok, warn or fail; warn and fail say what to do.
Exit code: 1 if any check fails.`,
  options: {},
  operands: { min: 0, max: 0 },
  async run(_, context) {
    // Loaded here so that other commands start without the drivers of databases and Redis.
    const { examine } = await import('./doctor/examine.ts');
    const findings = await examine(context);
    const rows = findings.map(({ level, subject, text }) => [level, subject, text]);
    context.stdout.write(formatTable(rows, 'lll'));
    return findings.some(({ level }) => level === 'fail') ? 1 : 0;
  },
};
