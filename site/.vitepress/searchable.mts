import type { MarkdownRenderer } from 'vitepress'

// What search finds of a page. Guides are found by their whole text; a page of the reference by its name, its summary and its members:
// with every parameter of every member the index would be many times as large, and finding a type by its name would be harder.
export function searchable(source: string, env: any, md: MarkdownRenderer): string {
  if (!env.relativePath.startsWith('reference/')) {
    return md.render(isTable(env.relativePath) ? source.replace(/^\|.*$/gm, '') : source, env)
  }

  let html = ''
  let isSummaryNext = false
  for (const line of source.split('\n')) {
    const heading = /^(#{1,3}) (.*?)(?: \{#([^}]*)\})?$/.exec(line)
    if (heading && (heading[1] === '#' || heading[3])) {
      const anchor = heading[3] ?? ''
      const level = heading[1].length === 1 ? 1 : 2
      html += `<h${level}>${plain(heading[2])}<a href="#${anchor}"></a></h${level}>\n<p>${words(heading[2])}</p>\n`
      isSummaryNext = level === 1
    } else if (isSummaryNext && line.length > 0 && !/^(Package \[|:::|```)/.test(line)) {
      html += `<p>${plain(line)}</p>\n`
      isSummaryNext = false
    } else if (/^\| <a id=/.test(line)) {
      html += `<p>${plain(line.split('|')[1])}</p>\n`
    }
  }

  return html
}

// Guides come before members of the reference, which are found by their names, before pages for users of other libraries, and before tables of
// all that there is. The page that bears a word as its name comes first. The function is sent to the browser as text, so it uses nothing
// outside of it.
export function weight(address: string, term: string): number {
  const page = address.split('#')[0]
  return /conformance|rfc-rows|telemetry-log|changelog|benchmarks|decisions/.test(page) ? 0.3
    : page.includes('/reference/') ? (address.includes('#m-') ? 0.3 : 0.5)
    : /\/(from|migrating-from)-/.test(page) ? 0.5
    : page.includes(`/${term}`) || term.startsWith(page.split('/').pop()!.replace('.html', '')) ? 1.6
    : 1
}

// Pages whose rows name everything that there is: they are found by their headings.
function isTable(page: string): boolean {
  return page === 'conformance.md' || page === 'rfc-rows.md'
}

function plain(markdown: string): string {
  return markdown.replace(/\[((?:\\.|[^\]\\])*)\]\([^)]*\)/g, '$1').replace(/<[^>]*>|`/g, '').replace(/\\(.)/g, '$1')
}

// "CoapObserveOptions" is found by "observe options" too.
function words(name: string): string {
  return plain(name).replace(/([a-z0-9])([A-Z])/g, '$1 $2')
}
