using CoAP.NET.Interop.Tests.Peers;

namespace CoAP.NET.Interop.Tests;

/// <summary>CoapClient against a libcoap server that fails to send some of its messages (<c>-l</c>), and by way of a relay that loses and doubles messages of both directions.</summary>
public sealed class OurClientLossTests
{
    private const int Length = 16 * 1024;

    // Copies follow sooner when round-trip times are measured, and the simpler timing is tried in the other test.
    private static readonly CoapEndpointOptions s_measured = new() { Parameters = new CoapTransmissionParameters { RetransmissionTiming = CoapRetransmissionTiming.Fasor } };

    [PeerFact(LibcoapServer.Program)]
    public async Task Responses_of_libcoap_that_are_lost_are_asked_for_again()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync("-l", "10%");
        await using CoapClient client = new(s_measured);
        Task[] exchanges = [.. Enumerable.Range(0, 20).Select(async _ => Assert.Equal(CoapCode.Content, (await client.GetAsync(server.Uri("/"))).Code))];
        byte[] body = Bodies.Make(Length, 1);
        Assert.True((await Within(client.PutAsync(server.Uri("/lossy").OriginalString, CoapContent.Binary(body)))).IsSuccess);
        Assert.Equal(body, (await Within(client.GetAsync(server.Uri("/lossy")))).Payload.ToArray());
        await Within(Task.WhenAll(exchanges));
    }

    [PeerFact(LibcoapServer.Program)]
    public async Task Loss_and_doubling_in_both_directions_change_nothing()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        await using LossyRelay relay = new(server.EndPoint, loss: 0.05, doubling: 0.1);
        await using CoapClient client = new();
        byte[] body = Bodies.Make(Length, 2);
        Assert.True((await Within(client.PutAsync(relay.Uri("/relayed"), CoapContent.Binary(body)))).IsSuccess);
        Assert.Equal(body, (await Within(client.GetAsync(relay.Uri("/relayed")))).Payload.ToArray());
        Assert.True(relay.Lost > 0 && relay.Doubled > 0);
    }

    [PeerFact(LibcoapClient.Program)]
    public async Task Our_server_does_not_mind_loss_and_doubling_either()
    {
        await using SampleServer server = await SampleServer.StartAsync("samples/Server", "--bind", "coap://127.0.0.1:0");
        await using LossyRelay relay = new(new(System.Net.IPAddress.Loopback, server.Uri.Port), loss: 0.05, doubling: 0.1, seed: 2);
        byte[] body = Bodies.Make(Length, 3);
        Assert.Equal(string.Empty, (await LibcoapClient.TransferAsync(body, "-m", "put", relay.Uri("/large-update"))).Result.Errors);
        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-m", "get", relay.Uri("/large-update"))).Body);
        Assert.True(relay.Lost > 0 && relay.Doubled > 0);
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(PeerProcess.LossyHangLimit);

    private static Task Within(Task task) => task.WaitAsync(PeerProcess.LossyHangLimit);
}
