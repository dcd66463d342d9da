import { aligned } from './report.ts';

/** What readers ask first, with the row that answers it. */
const QUESTIONS: readonly (readonly [question: string, what: string])[] = [
  [
    'Requests a second over a million wallets, beside bare node:http',
    'Random /v1/reputation over 1,000,000 wallets, beside node:http',
  ],
  ['p99 of a request over ten million wallets', '/v1/reputation, p99 over 10,000,000 wallets'],
  ['Start with a million wallets', 'Start with 1,000,000 wallets, until ready'],
  ['Memory with a million wallets', 'Start with 1,000,000 wallets, memory'],
  ['Import of ten million lines', 'Import of 10,000,000 lines (1,000,000 wallets), time'],
  ['Discord: from event to answer', 'Discord: event to final answer, p99'],
  ['Telegram: updates answered', 'Telegram: updates answered a second'],
  ['100,000 members judged by a rule', 'Gating: 100,000 members judged'],
  [
    'A change, until a webhook has it',
    'A change, from its commit by another process until a receiver has it',
  ],
  [
    'A change, until another replica tells it',
    'A changed score among 1,000,000 wallets, told by another replica',
  ],
];

const TITLE = '# How fast Fathom is\n\n';
const REST = 'What `npm run bench` measured';

interface Answer {
  readonly fathom: string;
  readonly peer: string;
  readonly ratio: string;
  readonly date: string;
}

/** The rows of all tables of the page by what they measure, each with the date of its section. */
function answers(page: string): ReadonlyMap<string, Answer> {
  const found = new Map<string, Answer>();
  let date = '';
  for (const line of page.split('\n')) {
    date = /^- Date: (\S+)$/.exec(line)?.[1] ?? date;
    const cells = line.split('|').map((cell) => cell.trim());
    const [, what = '', fathom = '', peer = '', , ratio = ''] = cells;
    if (cells.length === 9) found.set(what, { fathom, peer, ratio, date });
  }
  return found;
}

/**
 * RESULTS.md with a short table at its top, for readers who have a minute: taken from the rows below it, so that it
 * never says anything else. A question whose row wasn't measured is left out.
 */
export function withGlance(page: string): string {
  const rest = page.slice(page.indexOf(REST));
  const measured = answers(rest);
  const lines = QUESTIONS.flatMap(([question, what]) => {
    const answer = measured.get(what);
    if (answer === undefined) return [];
    const { fathom, peer, ratio, date } = answer;
    const beside = ratio === '' ? peer : `${peer} (ratio ${ratio})`;
    return [[question, fathom, beside, date]];
  });
  return `${TITLE}${aligned([['in a minute', 'Fathom', 'beside', 'measured'], ...lines])}\n\n${rest}`;
}
