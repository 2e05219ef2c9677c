import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { searchable, weight } from './searchable.mts'

// Written by "CoAP.NET.Site build": the pages, and which of them stand beside each.
const pages = fileURLToPath(new URL('../.pages/', import.meta.url))
const base = process.env.SITE_BASE ?? '/'
const { sidebar, version } = JSON.parse(readFileSync(`${pages}site.json`, 'utf8'))

// On a small screen a row of a wide table is a list of its cells, each with the name of its column (site.css).
function labelCells(state: { tokens: any[] }): void {
  let names: string[] = []
  let column = 0
  state.tokens.forEach((token, index) => {
    switch (token.type) {
      case 'thead_open':
        names = []
        break
      case 'tr_open':
        column = 0
        break
      case 'th_open':
        names.push(state.tokens[index + 1].content)
        break
      case 'td_open':
        if (names.length > 2 && column > 0 && names[column]) {
          token.attrSet('data-label', names[column])
        }
        column++
        break
    }
  })
}

export default defineConfig({
  lang: 'en',
  title: 'CoAP.NET',
  description: 'An asynchronous CoAP library for .NET 10: client and server on TPL Dataflow.',
  srcDir: '.pages',
  outDir: '../artifacts/site',
  base,
  head: [['link', { rel: 'icon', href: `${base}icon.png` }]],
  lastUpdated: false,
  vite: {
    // Links to social networks would load their pictures from another host; there are none.
    resolve: {
      alias: [{ find: /^.*\/VPSocialLinks\.vue$/, replacement: fileURLToPath(new URL('theme/Nothing.vue', import.meta.url)) }]
    },
    // The index of search is loaded when a reader searches.
    build: { chunkSizeWarningLimit: 4000 }
  },
  metaChunk: true,
  markdown: {
    // The anchors of the repository's host, so that the same links work there and here.
    anchor: {
      slugify: title => title.trim().toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
    },
    config(md) {
      // "CoAP.NET" is no address, and ":)" no picture.
      md.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
      md.disable('emoji')
      md.core.ruler.push('labels', labelCells)
    }
  },
  themeConfig: {
    logo: '/icon.png',
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: false,
        _render: searchable,
        miniSearch: { searchOptions: { boostDocument: weight } }
      }
    },
    nav: [
      { text: 'Guides', link: '/getting-started', activeMatch: '^/(?!reference/|changelog|$)' },
      { text: 'API reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: version, link: '/changelog' }
    ],
    sidebar,
    footer: { message: `CoAP.NET is released under the <a href="${base}licence.html">MIT licence</a>.` }
  }
})
