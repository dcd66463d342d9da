import { fill, make } from './dom.js';
import { suggest } from './service.js';

/** Milliseconds without typing before suggestions are requested. */
const PAUSE = 120;

/**
 * Adds a list of completions to an input, as in https://www.w3.org/WAI/ARIA/apg/patterns/combobox/: the focus
 * stays in the input, and the arrow keys move through the list.
 * @param {{input: HTMLInputElement, list: HTMLElement, words: Record<string, string>, accept: (completion:
 * object) => void, announce: (text: string) => void, recall: (step: number) => void}} parts `recall` gets the
 * arrow keys while the list is closed
 */
export class Combobox {
  #parts;
  #completions = [];
  #active = -1;
  #timer = 0;
  #turn = 0;

  constructor(parts) {
    this.#parts = parts;
    const { input, list } = parts;
    input.addEventListener('input', () => this.#schedule());
    input.addEventListener('keydown', (event) => this.#onKey(event));
    input.addEventListener('blur', () => this.close());
    // Pressing an item must not take the focus from the input.
    list.addEventListener('pointerdown', (event) => event.preventDefault());
    list.addEventListener('click', (event) => {
      const option = event.target.closest('[role=option]');
      if (option !== null) this.#accept([...list.children].indexOf(option));
    });
  }

  /** Closes the list and drops pending suggestions. */
  close() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#show([]);
  }

  /** Requests completions for the input and shows them. */
  async open() {
    this.#turn += 1;
    const turn = this.#turn;
    const { input, words, announce } = this.#parts;
    const completions = await suggest(input.value);
    if (turn !== this.#turn || document.activeElement !== input) return;
    this.#show(completions);
    if (completions.length > 0) announce(fill(words.found, String(completions.length)));
  }

  #schedule() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.open(), PAUSE);
  }

  #onKey(event) {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const isOpen = this.#completions.length > 0;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (isOpen) this.#move(step);
      else if (step === 1 && this.#parts.input.value === '') void this.open();
      else this.#parts.recall(step);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      this.close();
    } else if (event.key === 'Enter' && this.#active >= 0) {
      event.preventDefault();
      this.#accept(this.#active);
    }
  }

  /** Moves by one; the input itself is between the last and the first. */
  #move(step) {
    const places = this.#completions.length + 1;
    this.#mark(((this.#active + 1 + step + places) % places) - 1);
  }

  #mark(index) {
    const { input, list } = this.#parts;
    list.children[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = index;
    const option = list.children[index];
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
  }

  #show(completions) {
    const { input, list } = this.#parts;
    this.#completions = completions;
    this.#mark(-1);
    list.replaceChildren(
      ...completions.map(({ label, detail }, i) =>
        make(
          'li',
          { role: 'option', id: `suggestion-${i}`, 'aria-selected': 'false' },
          make('span', { class: 'label' }, label),
          make('span', { class: 'detail' }, detail),
        ),
      ),
    );
    list.hidden = completions.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
  }

  #accept(index) {
    const completion = this.#completions[index];
    this.close();
    this.#parts.accept(completion);
  }
}
