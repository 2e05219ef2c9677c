namespace CoAP.NET.Tests.Plugtest;

/// <summary>TD_COAP_LINK of the ETSI plugtests, our side as the server.</summary>
public sealed class ServerLinkTests : PlugtestServer
{
    [Fact]
    public void LINK_01_well_known_core_lists_every_visible_resource()
    {
        string[] links = Targets(string.Empty);
        Assert.Superset(new HashSet<string>(["/test", "/separate", "/validate", "/link1", "/link2", "/link3", "/path", "/large", "/obs"]),
            new HashSet<string>(links));
        Assert.DoesNotContain("/path/sub1", links);
    }

    [Fact]
    public void LINK_02_links_are_filtered_by_a_resource_type() => Assert.Equal(["/link1", "/link3"], Targets("48 'rt=Type1'"));

    [Fact]
    public void LINK_03_links_are_filtered_by_the_presence_of_a_resource_type() =>
        Assert.Equal(["/link1", "/link2", "/link3"], Targets("44 'rt=*'"));

    [Fact]
    public void LINK_04_links_are_filtered_by_one_of_several_resource_types() =>
        Assert.Equal(["/link1", "/link2"], Targets("48 'rt=Type2'"));

    [Fact]
    public void LINK_05_links_are_filtered_by_the_beginning_of_an_interface() => Assert.Equal(["/link1", "/link2"], Targets("46 'if=If*'"));

    [Fact]
    public void LINK_06_links_are_filtered_by_the_presence_of_a_size() => Assert.Equal(["/large", "/link2"], Targets("44 'sz=*'"));

    [Fact]
    public void LINK_07_links_are_filtered_by_a_target() => Assert.Equal(["/link1"], Targets("4b 'href=/link1'"));

    [Fact]
    public void LINK_08_links_are_filtered_by_the_beginning_of_a_target() =>
        Assert.Equal(["/link1", "/link2", "/link3"], Targets("4b 'href=/link*'"));

    [Fact]
    public void LINK_09_a_link_leads_to_a_collection_whose_members_can_be_read()
    {
        CoapLink path = Assert.Single(Links("4a 'href=/path'"));
        Assert.Equal([CoapContentFormat.LinkFormat], path.ContentFormats);
        Exchange("40 01 0002 b4 'path'", "60 45 0002 c1 28 ff <body:*>");
        Assert.Equal(["/path/sub1", "/path/sub2", "/path/sub3"],
            CoapLinkFormat.Parse(Client.Remembered["body"]).Select(link => link.Target));
        Exchange("40 01 0003 b4 'path' 04 'sub1'", "60 45 0003 c0 ff 'sub1'");
    }

    private string[] Targets(string query) => [.. Links(query).Select(link => link.Target).Order(StringComparer.Ordinal)];

    private IReadOnlyList<CoapLink> Links(string query)
    {
        Exchange($"40 01 0001 bb '.well-known' 04 'core' {query}", "60 45 0001 48 <etag:8> 81 28 ff <body:*>");
        return CoapLinkFormat.Parse(Client.Remembered["body"]);
    }
}
