import { make } from './dom.js';
import { drawEmoji } from './emoji.js';
import { ask, inWords } from './service.js';

/** One chat. It shows the latest answer, which its buttons update in place. */
export class Panel {
  #host;
  #draw;
  #pick;
  #words;
  #announce;
  #asked = '';
  /** Counts requests, so that a slow answer never replaces a later one. */
  #turn = 0;

  /**
   * @param {HTMLElement} host
   * @param draw turns a payload into nodes
   * @param pick takes this chat's payload from an answer
   * @param announce announces an answer
   */
  constructor(host, { draw, pick, words, announce }) {
    this.#host = host;
    this.#draw = draw;
    this.#pick = pick;
    this.#words = words;
    this.#announce = announce;
  }

  /** Shows that an answer is on its way; the previous one stays until it arrives. */
  wait() {
    this.#turn += 1;
    this.#host.setAttribute('aria-busy', 'true');
    if (this.#host.childElementCount === 0)
      this.#put([make('p', { class: 'notice' }, this.#words.thinking)]);
  }

  show(answer) {
    if (answer.asked !== '') this.#asked = answer.asked;
    const context = {
      asked: this.#asked,
      file: answer.file,
      alt: answer.alt,
      words: this.#words,
      press: (code) => this.#press(code),
    };
    const { posted } = answer;
    const post = { ...context, asked: '', file: undefined, alt: undefined };
    this.#put([
      ...this.#draw(this.#pick(answer), context),
      ...(posted === undefined
        ? []
        : [
            make('p', { class: 'posted' }, this.#words.posted),
            ...this.#draw(this.#pick(posted), post),
          ]),
    ]);
  }

  /** Shows an error; `again` is what the button does. */
  fail(sentence, again) {
    this.#put([
      make(
        'div',
        { class: 'notice', role: 'alert' },
        make('p', {}, sentence),
        make('button', { type: 'button', onclick: again }, this.#words.again),
      ),
    ]);
  }

  async #press(code) {
    this.wait();
    const turn = this.#turn;
    try {
      const answer = await ask({ code });
      if (turn !== this.#turn) return;
      this.show(answer);
      this.#announce(answer);
    } catch (error) {
      if (turn === this.#turn) this.fail(inWords(error, this.#words), () => this.#press(code));
    }
  }

  /** Replaces the content. If a button had the focus, the corresponding new button gets it. */
  #put(nodes) {
    const before = this.#controls();
    const old = document.activeElement;
    const index = before.indexOf(old);
    this.#host.removeAttribute('aria-busy');
    this.#host.replaceChildren(...nodes);
    drawEmoji(this.#host);
    if (index === -1) return;
    const after = this.#controls();
    const usable = after.filter((each) => !each.disabled);
    const same =
      usable.find((each) => each.textContent === old.textContent) ??
      usable.find((each) => kindOf(each) === kindOf(old));
    const near = usable.findLast((each) => after.indexOf(each) <= index);
    (same ?? near ?? usable[0] ?? this.#host).focus();
  }

  #controls() {
    return [...this.#host.querySelectorAll('button, a')].filter(
      (each) => each.closest('[hidden]') === null,
    );
  }
}

/** A button's kind without its page number, so that "next" stays "next". */
function kindOf(button) {
  return button.textContent.replace(/\d[\d.,\s]*/g, '').trim();
}
