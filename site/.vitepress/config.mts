import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { searchable, weight } from './searchable.mts'

// Written by "CoAP.NET.Site build": the pages, and which of them stand beside each.
const pages = fileURLToPath(new URL('../.pages/', import.meta.url))
const base = process.env.SITE_BASE ?? '/'
const { sidebar, version } = JSON.parse(readFileSync(`${pages}site.json`, 'utf8'))

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
