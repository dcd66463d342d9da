import { Fault, faultOf } from './faults.js';
import { forget, keep } from './kept.js';
import { meaningOf } from './request.js';
import { byId, fill, show, shown, warn, words } from './steps.js';

/** Milliseconds that a wallet has to respond. */
const PATIENCE = 120_000;
/** After these errors only a new link helps. */
const ENDS = [
  ...['used', 'link-expired', 'link-taken', 'link-tries'],
  ...['other-account', 'no-ticket', 'no-cookies'],
];
/** The step that explains such an end, if it isn't `over`. */
const SHOWN = { used: 'used', 'link-taken': 'elsewhere' };
/** After these the user chooses a wallet again. */
const ELSEWHERE = ['left', 'other-tab'];
/** Steps that only wait; after an error, go back. */
const WAITING = ['waiting', 'checking', 'owners', 'pair'];

/** Whether a task is running. */
export let isWorking = false;
let giveUp = () => undefined;

/** Runs a task, one at a time, and shows an error in the step where it was started. */
export async function run(task) {
  if (isWorking) return;
  isWorking = true;
  const step = shown;
  warn('');
  try {
    await task();
  } catch (error) {
    if (WAITING.includes(shown)) show(step || 'start');
    fail(faultOf(error));
  } finally {
    isWorking = false;
  }
}

function fail(fault) {
  const code = meaningOf(fault.code);
  if (ELSEWHERE.includes(code)) {
    keep({ wallet: undefined });
    show('wallets');
  }
  if (ENDS.includes(code)) {
    forget();
    byId('account').hidden = true;
    show(SHOWN[code] ?? 'over');
    if (code === 'used') return;
  }
  if (shown === '') show('start', true);
  const sentence =
    fault.sentence ?? fill(words.faults[code] ?? words.faults['data-unavailable'], fault.value);
  warn(fault.isRenewed ? `${sentence} ${words.renewed}` : sentence);
}

/** Waits for the wallet until that's pointless or the user leaves. */
export function answerOf(question) {
  show('waiting');
  return new Promise((resolve, reject) => {
    giveUp = () => reject(new Fault('cancelled'));
    setTimeout(() => reject(new Fault('late')), PATIENCE);
    new Promise((go) => go(question())).then(resolve, (error) => reject(faultOf(error)));
  });
}

export function cancel() {
  giveUp();
}
