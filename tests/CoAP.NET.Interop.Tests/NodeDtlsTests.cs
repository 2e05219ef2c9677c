using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// node-coap-client against our server over DTLS by a pre-shared key (RFC 7252 section 9.1.3.1). Its ClientHello has no extensions. It
/// sends no bodies in blocks.
/// </summary>
[External(NodePeers.DtlsProgram)]
public sealed class NodeDtlsTests
{
    [Fact]
    [Rfc("7252-9.1.3.1-1")]
    public async Task A_client_with_a_key_is_identified()
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        (byte[] body, PeerResult result) = await NodePeers.TransferOverDtlsAsync(null, "get", server.Uri("/who"));
        Assert.Equal(("2.05", StreamServer.Identity), (result.Output, Encoding.UTF8.GetString(body)));
        Assert.Equal("", result.Errors);
    }

    [Fact]
    public async Task A_GET_returns_the_body_of_a_PUT()
    {
        byte[] body = Bodies.Make(700, 4);
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        (_, PeerResult put) = await NodePeers.TransferOverDtlsAsync(body, "put", server.Uri("/store"));
        Assert.Equal("2.04", put.Output);
        Assert.Equal(body, server.Stored);
        Assert.Equal(body, (await NodePeers.TransferOverDtlsAsync(null, "get", server.Uri("/store"))).Body);
    }

    [Theory]
    [InlineData(64)]
    [InlineData(1024)]
    [Rfc("7959-7-1")]
    public async Task A_GET_returns_a_body_blockwise(int size)
    {
        byte[] body = Bodies.Make(20_000, 3);
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        await using CoapClient own = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions
            {
                Psk = new CoapPskCredential(StreamServer.Identity, Encoding.ASCII.GetBytes(StreamServer.Key)),
            },
        }));
        Assert.True((await own.PutAsync(server.Uri("/store"), CoapContent.Binary(body))).IsSuccess);
        (byte[] got, PeerResult result) = await NodePeers.TransferOverDtlsAsync(null, "get", server.Uri("/store"), "--block2", $"{size}");
        Assert.Equal("2.05", result.Output);
        Assert.Equal(body, got);
    }

    [Fact]
    public async Task An_observer_gets_notifications_of_changes()
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        await using PeerProcess client = NodePeers.StartDtlsClient("get", server.Uri("/quiet"), "--observe", "3");
        await client.WaitForLineAsync(line => line == "first");
        server.Change("second");
        await client.WaitForLineAsync(line => line == "second");
        server.Change("third");
        await client.WaitForLineAsync(line => line == "third");
        PeerResult result = await client.WaitForExitAsync();
        Assert.Equal((0, ""), (result.ExitCode, result.Errors));
    }

    [Fact]
    [Rfc("7925-6-1")]
    public async Task A_client_with_a_wrong_key_gets_no_response()
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync(TimeSpan.FromSeconds(2));
        await using PeerProcess client = NodePeers.StartDtlsClientWithKey("anotherPSK", "get", server.Uri("/hello"));
        await server.WaitForFailuresAsync();
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }
}
