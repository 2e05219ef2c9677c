using CoAP.NET.Site.Pages;

namespace CoAP.NET.Site.Tests.Pages;

/// <summary>Links of pages lead within the site where there is a page, and are text otherwise.</summary>
public sealed class PageLinksTests
{
    private static readonly PageLinks s_links = new(new SitePages(Repository.Root));

    [Theory]
    [InlineData("docs/client.md", "[observing](observe.md#a-client)", "[observing](/observe.md#a-client)")]
    [InlineData("docs/client.md", "[observe.md](observe.md)", "[Observing](/observe.md)")]
    [InlineData("docs/client.md", "[here](#errors)", "[here](#errors)")]
    [InlineData("docs/client.md", "[RFC](https://www.rfc-editor.org/rfc/rfc7252)", "[RFC](https://www.rfc-editor.org/rfc/rfc7252)")]
    [InlineData("docs/client.md", "[SECURITY.md](../SECURITY.md)", "[Reporting vulnerabilities](/security-policy.md)")]
    [InlineData("docs/client.md", "[the sample](../samples/Observe)", "the sample (`samples/Observe`)")]
    [InlineData("docs/client.md", "[`samples/Observe`](../samples/Observe)", "`samples/Observe`")]
    [InlineData("docs/architecture.md", "[why](decisions/)", "[why](/decisions/index.md)")]
    [InlineData("docs/architecture.md", "![the mesh](images/mesh.svg)", "![the mesh](./images/mesh.svg)")]
    [InlineData("README.md", "[a router](docs/custom-blocks.md)", "[a router](/custom-blocks.md)")]
    [InlineData("docs/client.md", "[gone](none.md#x)", "[gone](/docs/none.md#x)")]
    [InlineData("README.md", "[MIT](LICENSE)", "[MIT](/licence.md)")]
    [InlineData("README.md", "`[code](docs/client.md)`", "`[code](docs/client.md)`")]
    [InlineData("README.md", "```\n[code](docs/client.md)\n```", "```\n[code](docs/client.md)\n```")]
    [InlineData("README.md", "[`Notify`\nand more](docs/observe.md)", "[`Notify`\nand more](/observe.md)")]
    public void A_link_is_adapted(string source, string markdown, string adapted) => Assert.Equal(adapted, s_links.Adapt(markdown, source));

    [Fact]
    public void Every_page_is_in_a_group_and_every_group_has_pages()
    {
        IReadOnlyList<SidebarEntry> groups = Sidebar.Read(new SitePages(Repository.Root));
        Assert.All(groups, static group => Assert.NotEmpty(group.Items!));
        Assert.Contains(groups, static group => group.Text == "Security");
    }
}
