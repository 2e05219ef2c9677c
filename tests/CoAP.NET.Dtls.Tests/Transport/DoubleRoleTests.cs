using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Two endpoints that are server and client of each other over one pair of ports.</summary>
public sealed class DoubleRoleTests
{
    private const int Requests = 40;

    // Less than a handshake may take.
    private static readonly TimeSpan s_hangLimit = FromMinutes(2);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Two_endpoints_send_each_other_requests_in_two_sessions_without_losing_records(bool withCids)
    {
        await using CoapServer one = Make("one", withCids, out CoapDtlsTransport ofOne);
        await using CoapServer two = Make("two", withCids, out CoapDtlsTransport ofTwo);
        await one.StartAsync();
        await two.StartAsync();

        // One after the other, as handshakes at the same time take longer; then both at once.
        await one.Endpoint.GetAsync($"{two.LocalEndpoints[0]}name").Says("two");
        await two.Endpoint.GetAsync($"{one.LocalEndpoints[0]}name").Says("one");
        Task<CoapResponse>[] ofTwos = [
            .. Enumerable.Range(0, Requests).Select(_ => one.Endpoint.GetAsync($"{two.LocalEndpoints[0]}name"))];
        Task<CoapResponse>[] ofOnes = [
            .. Enumerable.Range(0, Requests).Select(_ => two.Endpoint.GetAsync($"{one.LocalEndpoints[0]}name"))];
        Assert.All(await Task.WhenAll(ofTwos), response => Assert.Equal("two", response.GetText()));
        Assert.All(await Task.WhenAll(ofOnes), response => Assert.Equal("one", response.GetText()));

        foreach ((CoapServer server, CoapDtlsTransport transport) in new[] { (one, ofOne), (two, ofTwo) })
        {
            Assert.Equal(1, transport.Engine!.Server!.SessionCount);
            Assert.Equal(1, transport.Engine.Client!.SessionCount);
            Assert.Equal(0, server.Counters[CoapCounter.RecordsRejected]);
            Assert.Equal(0, server.Counters[CoapCounter.ConnectionsClosed]);
            Assert.Equal(0, transport.Engine.Server.Counters.RecordsForged);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Both_ends_may_start_a_handshake_at_the_same_time(bool withCids)
    {
        for (int round = 0; round < 8; round++)
        {
            await using CoapServer one = Make("one", withCids, out CoapDtlsTransport ofOne);
            await using CoapServer two = Make("two", withCids, out CoapDtlsTransport ofTwo);
            await one.StartAsync();
            await two.StartAsync();
            Task<CoapResponse> ofTheTwo = one.Endpoint.GetAsync($"{two.LocalEndpoints[0]}name");
            Task<CoapResponse> ofTheOne = two.Endpoint.GetAsync($"{one.LocalEndpoints[0]}name");

            await ofTheTwo.WaitAsync(s_hangLimit).Says("two");
            await ofTheOne.WaitAsync(s_hangLimit).Says("one");
            Assert.Equal((1, 1), (ofOne.Engine!.Client!.SessionCount, ofTwo.Engine!.Client!.SessionCount));
        }
    }

    [Fact]
    public async Task An_unanswered_handshake_does_not_affect_the_session_in_the_other_direction()
    {
        await using CoapServer one = Make("one", withCids: false, out CoapDtlsTransport ofOne);
        await one.StartAsync();
        IPEndPoint address = new(IPAddress.Loopback, one.LocalEndpoints[0].Port);
        using Moving.ScriptedDevice device = await Moving.ScriptedDevice.ConnectAsync(address, withCid: false);

        // The device is no server, so this goes on until it is given up.
        using CancellationTokenSource end = new();
        Task<CoapResponse> asked = one.Endpoint.GetAsync($"coaps://{device.Source}/name", end.Token);
        await CoAP.NET.Tests.Eventually.IsTrueAsync(() => ofOne.Engine!.Client!.HandshakeCount == 1);
        for (int i = 1; i <= Requests; i++)
        {
            device.Send($"40 01 {i:x4} b4 'name'");
            await device.ExpectAsync($"60 45 {i:x4} ..");
        }

        Assert.Equal(1, ofOne.Engine!.Client!.HandshakeCount);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
    }

    private static CoapServer Make(string name, bool withCids, out CoapDtlsTransport transport)
    {
        CoapDtlsOptions dtls = new()
        {
            Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { SecureEndpoints.Identity, SecureEndpoints.Key } } },
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(SecureEndpoints.Identity, SecureEndpoints.Key) },
            UseConnectionIds = withCids,
        };
        CoapServer server = new(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { PiggybackWindow = FromMinutes(1), NStart = 8 }
        });
        transport = new CoapDtlsTransport(dtls, new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } });
        server.Endpoint.AddTransport(transport);
        server.MapGet("/name", () => CoapResults.Text(name));
        return server;
    }
}
