import { h } from 'vue'
import { withBase, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import './site.css'

const licence = () =>
  h('p', { class: 'licence' }, ['CoAP.NET is released under the ', h('a', { href: withBase('/licence.html') }, 'MIT licence'), '.'])

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-after': licence })
} satisfies Theme
