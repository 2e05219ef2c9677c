using CoAP.NET.Caching;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Caching;

/// <summary>Stored responses of peers that have neither an identity nor an address: pipes.</summary>
public sealed class PipePeerTests
{
    [Fact]
    public async Task Stored_responses_of_a_peer_without_identity_and_address_answer_only_requests_on_its_connection()
    {
        using PipeNetwork network = new();
        await using CoapServer server = await network.ServeAsync(new CoapEndpointOptions { Cache = new CoapCache() });
        await using CoapServer lamp = await network.ConnectAsync("lamp");
        await using CoapServer boiler = await network.ConnectAsync("boiler");

        string[] names = await AskAsync();
        string[] again = await AskAsync();

        Assert.Equal(["boiler", "lamp"], names.Order(StringComparer.Ordinal));
        Assert.Equal(names, again);
        Assert.Equal(2, server.Counters[CoapCounter.CacheHits]);

        Task<string[]> AskAsync() => Task.WhenAll(
            server.Endpoint.ConnectedPeers.Select(async peer => (await peer.GetAsync("/name")).GetText()));
    }
}
