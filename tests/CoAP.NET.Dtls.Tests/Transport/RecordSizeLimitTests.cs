namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>The maximum size of records (RFC 8449).</summary>
public sealed class RecordSizeLimitTests
{
    [Theory]
    [InlineData(200, true, 199)]
    [InlineData(200, false, 200)]
    [InlineData(2_000, true, 1_152)]
    [Rfc("8449-4-1", "8449-4-2")]
    public async Task A_body_goes_in_messages_that_fit_the_records_of_the_peer(int limit, bool hasConnectionIds, int maxMessageSize)
    {
        byte[] body = [.. Enumerable.Range(0, 3_000).Select(static i => (byte)i)];
        await using SecureEndpoints secure = new(static server => server.MaxResumableSessions = 10, useCids: hasConnectionIds);
        int size = 0;
        secure.Server.MapGet("/body", request =>
        {
            size = request.Peer.Parameters.MaxMessageSize;
            request.Peer.Parameters = CoapTransmissionParameters.Default;
            return CoapResults.Bytes(body);
        });
        await secure.StartAsync();
        CoapClient client = secure.Client(configure: dtls =>
        {
            dtls.RecordSizeLimit = limit;
            dtls.ClientCidLength = 4;
        });
        CoapResponse response = await client.GetAsync($"{secure.Host}/body");
        Assert.Equal(body, response.Payload.ToArray());
        Assert.Equal(maxMessageSize, size);

        client.Endpoint.Disconnect(static _ => true, "The test begins another session.");
        Assert.Equal(body, (await client.GetAsync($"{secure.Host}/body")).Payload.ToArray());
        Assert.Equal(maxMessageSize, size);
        Assert.Equal(1, secure.Transport.Engine!.Server!.Counters.HandshakesResumed);
    }

    [Theory]
    [InlineData(64, 200)]
    [InlineData(16_384, 64)]
    [InlineData(16_383, 16_384)]
    [Rfc("8449-4-1")]
    public void Each_end_sends_only_records_that_the_other_accepts(int ofClient, int ofServer)
    {
        using HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = [CipherSuite.All[0]], RecordSizeLimit = ofClient },
            new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]], RecordSizeLimit = ofServer },
            "user", [1, 2, 3]);
        pair.Keys["user"] = [1, 2, 3];
        pair.Client.Start(null);
        pair.Run();
        Assert.Equal(ofServer, pair.Client.Establish().MaxContent);
        Assert.Equal(ofClient, pair.Server!.Establish().MaxContent);
    }

    [Fact]
    [Rfc("8449-4-2")]
    public void A_server_states_no_limit_to_a_client_that_states_none()
    {
        using ScriptedClient client = new(HandshakeKind.Psk);
        client.Hello();
        byte[] hello = client.Heard.Single(static message => message.Type == HandshakeType.ServerHello).Body;
        Assert.Equal(-1, hello.AsSpan().IndexOf(new byte[] { 0, 28, 0, 2 }));
    }

    [Fact]
    [Rfc("8449-4-3")]
    public void A_limit_below_64_bytes_is_refused_by_both_ends_and_one_above_16_KiB_is_accepted_by_servers()
    {
        using ScriptedServer server = new(HandshakeKind.Psk);
        server.Extensions[28] = [0, 63];
        server.Send(HandshakeType.ServerHello);
        server.AssertRefused(AlertDescription.IllegalParameter);
        using ScriptedClient client = new(HandshakeKind.Psk);
        client.Extensions[28] = [0, 63];
        client.Hello();
        client.AssertRefused(AlertDescription.IllegalParameter);
        using ScriptedClient large = new(HandshakeKind.Psk);
        large.Extensions[28] = [0xFF, 0xFF];
        large.Hello();
        large.AssertWaits();
    }
}
