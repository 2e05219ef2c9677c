import { h } from 'vue'
import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import './site.css'

const licence = () => h('p', { class: 'licence' }, 'CoAP.NET is released under the MIT licence.')

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-after': licence, 'home-features-after': () => null, 'layout-bottom': () => null })
} satisfies Theme
