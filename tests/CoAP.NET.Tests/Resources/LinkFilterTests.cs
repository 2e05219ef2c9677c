namespace CoAP.NET.Tests.Resources;

[Rfc("6690-4.1-2")]
public class LinkFilterTests
{
    private static readonly IReadOnlyList<CoapLink> s_links = CoapLinkFormat.Parse(
        "</link1>;rt=\"Type1 Type2\";if=\"If1\";ct=40,</link2>;rt=\"Type2 Type3\";if=\"If2\";sz=2048,</link3>;rt=\"Type1 "
            + "Type3\";if=\"foo\";obs,</test>;rt=\"\";title=\"a*b\",</plain>");

    [Theory]
    [InlineData("rt=Type2", "/link1 /link2")] // FL-01
    [InlineData("rt=Type*", "/link1 /link2 /link3")] // FL-02
    [InlineData("rt=*", "/link1 /link2 /link3 /test")] // FL-03
    [InlineData("rt=", "/test")] // FL-04
    [InlineData("rt=Type1 Type2", "")] // FL-05
    [InlineData("if=If*", "/link1 /link2")] // FL-06
    [InlineData("if=if1", "")] // FL-07
    [InlineData("sz=*", "/link2")] // FL-08
    [InlineData("sz=2048", "/link2")] // FL-09
    [InlineData("obs=*", "/link3")] // FL-10
    [InlineData("href=/link1", "/link1")] // FL-11
    [InlineData("href=/link*", "/link1 /link2 /link3")] // FL-12
    [InlineData("href=/*", "/link1 /link2 /link3 /test /plain")] // FL-13
    [InlineData("ct=40", "/link1")] // FL-14
    [InlineData("title=a*", "/test")] // FL-15
    [InlineData("nosuch=*", "")] // FL-16
    [InlineData("obs=", "")]
    [InlineData("rt", "/link1 /link2 /link3 /test /plain")]
    [InlineData("=x", "/link1 /link2 /link3 /test /plain")]
    public void A_query_argument_selects_the_matching_links(string query, string targets) =>
        Assert.Equal(targets, string.Join(' ', CoapLinkFormat.Filter(s_links, query).Select(link => link.Target)));

    [Fact]
    public void A_link_is_selected_only_if_every_query_argument_matches() =>
        Assert.Equal(["/link1"], CoapLinkFormat.Filter(s_links, "rt=Type1", "if=If*").Select(link => link.Target));

    [Fact]
    public void The_members_of_a_ct_list_match_individually() =>
        Assert.Single(CoapLinkFormat.Filter(CoapLinkFormat.Parse("</a>;ct=\"0 40\",</b>;ct=4"), "ct=40"));

    [Fact]
    public void An_href_filter_matches_the_target_encoded_or_decoded()
    {
        IReadOnlyList<CoapLink> links = CoapLinkFormat.Parse("</Malm%C3%B6>");
        Assert.Single(CoapLinkFormat.Filter(links, "href=/Malm\u00f6"));
        Assert.Single(CoapLinkFormat.Filter(links, "href=/Malm%C3%B6"));
        Assert.Empty(CoapLinkFormat.Filter(CoapLinkFormat.Parse("</%zz>"), "href=/zz"));
    }
}
