import { Combobox } from './combobox.js';
import { drawDiscord } from './discord.js';
import { fill, make } from './dom.js';
import { Panel } from './panel.js';
import { ask, inWords, suggest } from './service.js';
import { drawTelegram } from './telegram.js';
import { keepTimes } from './time.js';

const byId = (id) => document.getElementById(id);
const words = JSON.parse(document.body.dataset.words);
const input = byId('q');
const status = byId('status');

/** How many characters of an answer to announce. */
const READ_OUT = 300;
/** Shorter than any command with an address. */
const SHORT_LINE = 34;
/** A phrase of twelve signs. */
const SHORTEST_SECRET = 23;
const HISTORY = 50;
const HISTORY_KEY = 'fathom-history';
const YEAR = 31_536_000;

/** How each chat's messages are drawn. */
const DRAWINGS = { discord: drawDiscord, telegram: drawTelegram };

const chats = [...byId('panels').querySelectorAll('.chat')];
const panels = chats.map(
  (chat) =>
    new Panel(chat, {
      draw: DRAWINGS[chat.id] ?? drawPlain,
      pick: (answer) => answer[chat.id],
      words,
      announce,
    }),
);
const history = loadHistory();
/** The position in the history; its length stands for the unsent input. */
let place = history.length;
let turn = 0;

const combobox = new Combobox({
  input,
  list: byId('suggestions'),
  words,
  announce: say,
  recall(step) {
    place = Math.max(0, Math.min(history.length, place + step));
    input.value = history[place] ?? '';
  },
  accept({ line, complete }) {
    input.value = line;
    input.focus();
    if (complete) void run(line);
    else void combobox.open();
  },
});

/** Runs a command and shows the answer in both chats. */
async function run(text, { quietly = false } = {}) {
  // The example that runs at the start must not close what the user is typing.
  if (!quietly) combobox.close();
  const line = text.trim();
  if (line === '') return input.focus();
  turn += 1;
  const own = turn;
  if (!quietly) void remember(line);
  for (const panel of panels) panel.wait();
  try {
    const answer = await ask({ text: line });
    if (own !== turn) return;
    for (const panel of panels) panel.show(answer);
    if (!quietly) {
      announce(answer);
      showAnswer();
    }
  } catch (error) {
    if (own !== turn) return;
    const sentence = inWords(error, words);
    for (const panel of panels) panel.fail(sentence, () => run(line));
    if (!quietly) showAnswer();
  }
}

/** On a phone the answer is below the fold, and behind the keyboard. */
function showAnswer() {
  if (matchMedia('(hover: none)').matches) input.blur();
  const { top } = byId('panels').getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) byId('views').scrollIntoView({ block: 'start' });
}

/** A chat without a renderer of its own sends text. */
function drawPlain(message) {
  return [make('pre', {}, String(message?.text ?? ''))];
}

function announce({ asked: _, posted: __, ...messages }) {
  const { text = '' } = Object.values(messages).find((message) => message?.text) ?? {};
  say(fill(words.answered, text.length > READ_OUT ? `${text.slice(0, READ_OUT)}…` : text));
}

function say(text) {
  status.textContent = text;
}

/** Adds the command to the history, and to the page's URL for bookmarks, unless it may have a secret. */
async function remember(line) {
  if (await mayHaveSecret(line)) return showAddress('');
  if (history.at(-1) !== line) history.push(line);
  history.splice(0, history.length - HISTORY);
  place = history.length;
  try {
    sessionStorage.setItem(HISTORY_KEY, JSON.stringify(history));
  } catch {
    // Storage may be blocked; then the history lasts as long as the page.
  }
  showAddress(line);
}

/** Whether it's one, or can't be told. What tells it is loaded for longer lines only. */
async function mayHaveSecret(line) {
  if (line.length < SHORTEST_SECRET) return false;
  try {
    const { looksSecret } = await import('./secrets.js');
    const { hasKeyPair } = await import('./key-pairs.js');
    return [line, line.replace(/^\S+\s+/, '')].some(looksSecret) || (await hasKeyPair(line));
  } catch {
    return true;
  }
}

function loadHistory() {
  try {
    const lines = JSON.parse(sessionStorage.getItem(HISTORY_KEY) ?? '[]');
    return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}

function showAddress(line) {
  const query = line === '' ? '' : `?${new URLSearchParams({ q: line })}`;
  window.history.replaceState(null, '', `/${query}`);
  for (const link of byId('languages').children) {
    link.href = `/?${new URLSearchParams({ lang: link.hreflang, ...(line === '' ? {} : { q: line }) })}`;
  }
}

/** Puts real wallets into the examples, and runs the first one unless the URL names a command. */
async function start() {
  const query = new URLSearchParams(location.search).get('q')?.slice(0, input.maxLength) ?? '';
  showAddress(query);
  // Keep what the user typed before this loaded.
  if (query !== '') {
    input.value = query;
    void run(query);
  }
  const found = await suggest('/rep ');
  // First those that can be typed as shown: by name. Chains aren't wallets.
  const wallets = found.filter(({ detail }) => /^\w{32,}$/.test(detail));
  wallets.sort((a, b) => a.line.length - b.line.length);
  const examples = wallets.slice(0, 4).map(({ line, label }, i) => {
    const command = ['/rep', '/badges', '/activity', '/why'][i];
    const isShort = line.length < SHORT_LINE;
    return {
      line: line.replace('/rep', command),
      label: isShort ? line.replace('/rep', command) : `${command} ${label}`,
    };
  });
  for (const line of ['/top', '/top sol', '/stats', '/gate preview', '/help'])
    examples.push({ line, label: line });
  byId('examples').replaceChildren(...examples.map(drawExample));
  if (query === '' && turn === 0) void run(examples[0].line, { quietly: true });
}

function drawExample({ line, label }) {
  const onclick = () => {
    input.value = line;
    void run(line);
  };
  return make('li', {}, make('button', { type: 'button', title: line, onclick }, label));
}

byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  void run(input.value);
});
byId('views').addEventListener('change', (event) => {
  for (const chat of chats) {
    chat.closest('.panel').toggleAttribute('data-in-view', chat.id === event.target.value);
  }
});
byId('theme').addEventListener('change', (event) => {
  const { value } = event.target;
  document.documentElement.dataset.theme = value;
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser, nor over plain HTTP.
  document.cookie = `fathom_theme=${value}; Path=/; Max-Age=${YEAR}; SameSite=Lax`;
});
keepTimes();
void start();
