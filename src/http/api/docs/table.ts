import { type Html, html } from '#base';

/** A table that scrolls in its own box, so that a narrow page does not. */
export function table(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (string | Html)[])[],
): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first = '', ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody>
</table></div>`;
}
