import { setTimeout as pause } from 'node:timers/promises';
import { startTelegram } from '#platforms/telegram/bot';
import { FLOOD_LIMITS } from '#platforms/telegram/limits';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { createAnswerer } from './answerer.ts';

/**
 * The real adapter over a data file without Telegram's flood limits, which would restrict it to 30
 * messages a second. Prints `up` once it's connected and `done` after a number of answers.
 * Arguments: the data file, the stand-in's URL and token, the number of answers.
 */

const [file = '', apiUrl = '', token = '', answers = '0'] = process.argv.slice(2);
const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const store = await openStore(`sqlite:${file}`, { thresholds: DEFAULT_THRESHOLDS, log });
const answerer = createAnswerer(store, await store.openSource(), log);
let left = Number(answers);
const many = Number.POSITIVE_INFINITY;
const bot = startTelegram({
  token,
  apiUrl,
  mode: 'polling',
  answerer,
  log,
  limits: { ...FLOOD_LIMITS, all: many, chat: many, group: many },
  onCommand(_, outcome) {
    if (outcome === 'answered') left -= 1;
    else console.error(`an update was ${outcome}`);
    if (left === 0) console.log('done');
  },
});
process.once('SIGTERM', () => void bot.stop().then(() => store.close()));
while (!bot.status().ok) await pause(20);
console.log('up');
