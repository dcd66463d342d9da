import { describe, expect, it, onTestFinished } from 'vitest';
import { finished, startCli, workplace } from '../support/import-cli.ts';
import { activityLine, ndjson } from '../support/import-lines.ts';

const TEXT = ndjson([activityLine('solana', 1)]);
const NO_DATABASE = 'not a database, '.repeat(100);

describe('fathom import -, which fails before it reads', () => {
  it.each(['ended', 'still open'])('ends with 1 when its input is %s', async (state) => {
    const place = workplace({ 'fathom.db': NO_DATABASE });
    const child = startCli(['import', '-'], place);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin?.write(TEXT);
    if (state === 'ended') child.stdin?.end();
    const { code, stderr } = await finished(child);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('is no SQLite database'),
    });
  });
});
