using CoAP.NET.Site.Links;

namespace CoAP.NET.Site.Tests.Links;

/// <summary>The check of the built site finds what is wrong.</summary>
public sealed class BuiltSiteTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-site-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(0, "<a href=\"other.html\">to a page</a>")]
    [InlineData(0, "<a href=\"/other.html#there\">to a section</a>")]
    [InlineData(0, "<a class=\"x\" href=\"/folder/\">to a folder</a>")]
    [InlineData(0, "<a href=\"#here\">to a section of the page</a><h2 id=\"here\"></h2>")]
    [InlineData(0, "<a href=\"https://example.com/\">to another host</a>")]
    [InlineData(0, "<!-- <a href=\"none.html\">in a comment</a> -->")]
    [InlineData(0, "<link rel=\"stylesheet\" href=\"/style.css\"><img src=\"data:image/png;base64,AA\">")]
    [InlineData(1, "<a href=\"none.html\">to no page</a>")]
    [InlineData(1, "<a href=\"other.html#nowhere\">to no section</a>")]
    [InlineData(1, "<img alt=\"\" src=\"/none.png\">")]
    [InlineData(1, "<script src=\"https://cdn.example.com/x.js\"></script>")]
    [InlineData(1, "<link rel=\"preload\" href=\"//fonts.example.com/x.woff2\">")]
    [InlineData(1, "<style>body { background: url(https://example.com/x.png) }</style>")]
    [InlineData(1, "<script>fetch('https://example.com/')</script>")]
    public void A_page_has_faults(int faults, string html)
    {
        Write("index.html", html);
        Write("other.html", "<h1 id=\"there\">There</h1>");
        Write("folder/index.html", "<a href=\"../other.html\">back</a>");
        Write("style.css", "body { color: black }");
        Assert.Equal(faults, new BuiltSite(_folder).Faults().Count());
    }

    [Fact]
    public void A_site_in_a_folder_of_its_host_links_within_that_folder()
    {
        Write("index.html", "<a href=\"/docs/other.html\">good</a><a href=\"/other.html\">outside</a>");
        Write("other.html", string.Empty);
        Assert.Equal(
            "index.html links to /other.html, which is outside of the site. Correct the link.",
            Assert.Single(new BuiltSite(_folder, "/docs/").Faults()));
    }

    private void Write(string name, string text)
    {
        string file = Path.Combine(_folder, name);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }
}
