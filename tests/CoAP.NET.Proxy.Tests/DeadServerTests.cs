namespace CoAP.NET.Proxy.Tests;

/// <summary>What a proxy still sends to a server that does not answer, and for whom.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DeadServerTests
{
    private const string Target = "coap://[2001:db8:1::99]/";

    [Fact]
    public async Task The_proxy_stops_retransmitting_after_5_04_and_sends_the_next_request()
    {
        // Without PROBING_RATE (RFC 7252 section 4.7), which holds back what follows to a server that says nothing.
        await using ProxyWorld world = new(options =>
        {
            options.Timeout = FromSeconds(5);
            Action<CoapEndpointOptions>? usual = options.ConfigureClient;
            options.ConfigureClient = endpoint =>
            {
                usual?.Invoke(endpoint);
                endpoint.Parameters = CoapTransmissionParameters.Default with { ProbingRate = 1_000_000 };
            };
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        await world.StartAsync();
        await world.VerifyAsync();
        int copies = 0;
        using ScriptedPeer dead = world.Network.CreatePeer(InMemoryNetwork.Address("[2001:db8:1::99]:5683"));
        dead.Responder = received =>
        {
            copies++;
            return true;
        };

        await world.SendAsync(ProxyWorld.Ask(Target + "first")).Gives(CoapCode.GatewayTimeout);
        int ofFirst = copies;
        Assert.Equal(2, ofFirst);
        await world.PassAsync(FromMinutes(5));
        Assert.Equal(ofFirst, copies);

        await world.SendAsync(ProxyWorld.Ask(Target + "second"));
        await world.SendAsync(ProxyWorld.Ask(Target + "third"));
        Assert.Equal(3 * ofFirst, copies);
    }
}
