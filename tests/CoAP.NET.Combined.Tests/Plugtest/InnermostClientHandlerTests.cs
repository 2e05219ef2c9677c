namespace CoAP.NET.Tests.Plugtest;

/// <summary>TD_COAP_LINK of the ETSI plugtests, our side as the client.</summary>
public sealed class ClientLinkTests : PlugtestClient
{
    [Theory]
    [InlineData(1, null, "")]
    [InlineData(2, "rt=Type1", "48 'rt=Type1'")]
    [InlineData(3, "rt=*", "44 'rt=*'")]
    [InlineData(4, "rt=Type2", "48 'rt=Type2'")]
    [InlineData(5, "if=If*", "46 'if=If*'")]
    [InlineData(6, "sz=*", "44 'sz=*'")]
    [InlineData(7, "href=/link1", "4b 'href=/link1'")]
    [InlineData(8, "href=/link*", "4b 'href=/link*'")]
    public async Task LINK_01_to_08_DiscoverAsync_sends_the_filter_and_returns_the_links(int number, string? filter, string query)
    {
        Task<IReadOnlyList<CoapLink>> task = Client.DiscoverAsync(Uri, filter);
        Server.Expect($"44 01 <mid:2> <token:tkl> bb '.well-known' 04 'core' {query} ..");
        Server.Send("64 45 <mid> <token> c1 28 ff '</link1>;rt=\"Type1 Type2\";if=If1,</link2>;sz=2048'");
        IReadOnlyList<CoapLink> links = await Within(task);
        Assert.True(links.Select(link => link.Target).SequenceEqual(["/link1", "/link2"]), $"LINK_0{number}");
        Assert.Equal(["Type1", "Type2"], links[0].ResourceTypes);
        Assert.Equal(2048, links[1].Size);
    }

    [Fact]
    public async Task LINK_09_the_client_follows_the_links_of_a_collection()
    {
        CoapResponse collection = await ExchangeAsync(Request(CoapMethod.Get, "/path"), "01 b4 'path'",
            "45 c1 28 ff '</path/sub1>,</path/sub2>'");
        CoapLink link = CoapLinkFormat.Parse(collection.Payload.Span)[0];
        CoapResponse member = await ExchangeAsync(new CoapRequest(CoapMethod.Get, link.ResolveTarget(Uri)), "01 b4 'path' 04 'sub1'",
            "45 c0 ff 'sub1'");
        member.Says("sub1");
    }
}
