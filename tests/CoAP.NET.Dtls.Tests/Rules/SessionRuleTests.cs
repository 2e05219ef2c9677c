using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Rules;

/// <summary>What RFC 7252 section 9 and RFC 7925 say of sessions.</summary>
public sealed class SessionRuleTests
{
    [Fact]
    [Rfc("7252-9.1.1-2")]
    public async Task Acknowledgements_and_Resets_from_another_session_are_ignored()
    {
        int state = 0;
        await using SecureEndpoints secure = new();
        CoapRouteHandlerBuilder route = secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await secure.StartAsync();
        using ScriptedDevice observer = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        using ScriptedDevice other = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        observer.Send("41 01 0001 aa 60 55 'state'");
        await observer.ExpectAsync("61 45 0001 aa .. ");
        Volatile.Write(ref state, 1);
        route.Notify();
        byte[] notification = await observer.ExpectAsync("41 45 <note:2> aa ..");

        // What would end the observation if the observer said it.
        other.Send($"70 00 {notification[2]:x2}{notification[3]:x2}");
        other.Send("40 01 0002 b5 'hello'");
        await other.ExpectAsync("60 45 0002 ..");
        Assert.Equal(1, secure.Server.ObserverCount);

        observer.Send("70 00 <note>");
        await Eventually.IsTrueAsync(() => secure.Server.ObserverCount == 0);
    }

    [Fact]
    [Rfc("7252-9.1.2-1", "7252-9.1.1-1")]
    public async Task An_unprotected_response_is_ignored()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        await using NatRelay way = new(secure.Endpoint);
        CoapClient client = secure.Client();
        await client.GetAsync($"{way.Host}/hello").Says("hello");

        // From the server's address, before each of its records: for every Message ID that the client may have used, an acknowledgement
        // with an answer.
        way.Injected = () => [0x60, 0x45, 0, 2, 0xff, (byte)'n', (byte)'o'];
        await client.GetAsync($"{way.Host}/hello").Says("hello");
        Assert.True(client.Endpoint.Counters[CoapCounter.RecordsRejected] > 0);
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    [Fact]
    [Rfc("7925-4.2-1")]
    public async Task Long_identities_and_keys_are_accepted_and_identities_are_compared_byte_by_byte()
    {
        string identity = new('i', 128);
        byte[] key = [.. Enumerable.Range(0, 64).Select(i => (byte)i)];
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        secure.Keys.Add(identity, key);
        secure.Keys.Add(SecureEndpoints.Identity.ToUpperInvariant(), [1, 2, 3, 4]);
        Assert.Equal(identity, (await secure.Client(identity, key).GetAsync($"{secure.Host}/who")).GetText());
        Assert.Equal(SecureEndpoints.Identity, (await secure.Client().GetAsync($"{secure.Host}/who")).GetText());
        Assert.Equal(SecureEndpoints.Identity.ToUpperInvariant(),
            (await secure.Client(SecureEndpoints.Identity.ToUpperInvariant(), [1, 2, 3, 4]).GetAsync($"{secure.Host}/who")).GetText());
    }

    [Theory]
    [InlineData("")]
    [InlineData("78787878ff")]
    [InlineData("78787878fe")]
    [InlineData("646576696365ff")]
    [InlineData("78787878c080")]
    [InlineData("78787878eda080")]
    [Rfc("7925-4.2-1")]
    public void An_identity_that_is_empty_or_no_UTF_8_is_unknown_and_no_store_is_asked_for_it(string hex)
    {
        byte[] identity = Convert.FromHexString(hex);
        AnyKey store = new();
        using ServerBench bench = new(store: store);
        Connect(bench, identity);
        bench.Clock.Advance(FromMinutes(1));
        bench.Server.Tick();

        Assert.Empty(store.Asked);
        Assert.Equal(0, bench.Server.SessionCount);
        FailedClientHandshake failure = Assert.Single(bench.Failures);
        Assert.Equal((HandshakeFault.UnknownIdentity, ""), (failure.End.Fault, failure.Identity));
    }

    [Fact]
    [Rfc("6347-4.1.1-1")]
    public async Task A_datagram_may_contain_several_records_and_a_record_may_not_span_datagrams()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        using ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint);
        byte[] first = device.Seal("40 01 0001 b5 'hello'");
        byte[] second = device.Seal("40 01 0002 b5 'hello'");
        device.SendRaw([.. first, .. second]);
        await device.ExpectAsync("60 45 0001 ..");
        await device.ExpectAsync("60 45 0002 ..");

        byte[] third = device.Seal("40 01 0003 b5 'hello'");
        device.SendRaw(third.AsSpan(0, 20));
        device.SendRaw(third.AsSpan(20));
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.RecordsRejected] == 2);
        Assert.Equal(2, secure.Server.Counters[CoapCounter.RequestsReceived]);
    }

    // A client that writes bytes in place of its identity.
    private static void Connect(ServerBench bench, byte[] identity)
    {
        string placeholder = new('x', identity.Length);
        BenchClient client = new(bench.ClientContext, bench.Clock, (path, datagram) =>
        {
            int at = identity.Length == 0 ? -1 : datagram.AsSpan().IndexOf(Encoding.ASCII.GetBytes(placeholder));
            if (at >= 0)
            {
                identity.CopyTo(datagram, at);
            }

            bench.Server.Receive(path, datagram);
        }, ServerBench.Path(1), placeholder, ServerBench.Key, withCid: false);
        using ClientHandshake handshake = client.Handshake;
        bench.LosesOfServer = bytes =>
        {
            client.Receive(bytes);
            return true;
        };
        handshake.Start(null);
        client.Flush();
    }

    private sealed class AnyKey : ICoapPskStore
    {
        public List<string> Asked { get; } = [];

        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
        {
            Asked.Add(identity);
            return new(ServerBench.Key);
        }
    }
}
