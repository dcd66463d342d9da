import { type Html, html } from '#base';

/** One request as a program. */
export interface CodeExample {
  /** Name of the language. */
  readonly name: string;
  readonly code: string;
}

/** A request in curl and as complete programs that need nothing but the language itself. */
export function codeExamples(url: string): readonly CodeExample[] {
  // JSON's escapes mean the same in all three.
  const text = JSON.stringify(url);
  return [
    { name: 'curl', code: curl(url) },
    { name: 'JavaScript', code: javascript(text) },
    { name: 'Python', code: python(text) },
    { name: 'Go', code: go(text) },
  ];
}

/** @param options as the shell reads them */
export function curl(url: string, options = ''): string {
  return `curl ${options}${shellWord(url)}`;
}

function shellWord(text: string): string {
  return /^[\w:/.,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function javascript(url: string): string {
  return `// example.mjs, for Node 18 or newer
const response = await fetch(${url});
const body = await response.json();
if (!response.ok) throw new Error(\`\${body.code}: \${body.detail}\`);
console.log(body);`;
}

function python(url: string): string {
  return `import json
from urllib.error import HTTPError
from urllib.request import urlopen

try:
    with urlopen(${url}) as response:
        print(json.load(response))
except HTTPError as error:
    problem = json.load(error)
    raise SystemExit(f"{problem['code']}: {problem['detail']}")`;
}

function go(url: string): string {
  return `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
)

func main() {
	response, err := http.Get(${url})
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", response.Status, body)
	}
	fmt.Println(string(body))
}`;
}

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
