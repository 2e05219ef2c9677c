namespace CoAP.NET.Reliability.Tests.Faults;

/// <summary>Requests that are cancelled at a bad moment.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class CancellationTests
{
    [Fact]
    [Rfc("7252-4.7-2")]
    public async Task The_next_request_is_sent_at_once_after_the_response_to_a_cancelled_request()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        using ScriptedPeer device = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = clock, Pipeline = { Random = new VirtualRandom(7) } });
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
        using CancellationTokenSource cancellation = new();

        // The first message to a peer that was never heard.
        Task<CoapResponse> first = client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a"), cancellation.Token);
        ReceivedDatagram request = device.Expect("4? 01 <mid:2> <token:tkl> b1 'a'");
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Task<CoapResponse> second = client.GetAsync("coap://192.0.2.1/b");
        device.ExpectNothingFor(TimeSpan.FromSeconds(1));
        device.Piggyback(request, CoapCode.Content, "ff 'a'");
        ReceivedDatagram next = device.ExpectWithin("4? 01 <mid2:2> <token2:tkl> b1 'b'", TimeSpan.FromMilliseconds(100));
        device.Piggyback(next, CoapCode.Content, "ff 'b'");
        Assert.Equal("b", (await clock.AdvanceUntilAsync(second, max: TimeSpan.FromSeconds(1))).GetText());
    }
}
