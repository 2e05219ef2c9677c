using System.Text;
using CoAP.NET.Dtls;
using CoAP.NET.Interop.Tests.Peers;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// libcoap's clients with OpenSSL and with GnuTLS against our server over DTLS by pre-shared keys (RFC 7252 section 9.1.3.1). Neither knows
/// of Connection IDs, which our server offers.
/// </summary>
public sealed class LibcoapDtlsClientTests
{
    private const string Identity = "device-7";
    private const string Key = "secretPSK";

    [Theory]
    [External(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7252-9.1.3.1-1")]
    public async Task A_client_with_a_key_is_known_by_its_identity_and_says_goodbye(string program)
    {
        await using StreamServer server = await StartAsync();
        PeerResult result = await AskAsync(program, server.Uri("/who"));
        Assert.Equal(Identity, result.Output);
        Assert.Equal(string.Empty, result.Errors);
        Assert.Equal(CoapConnectionError.Closed, (await server.WaitForEndAsync()).Reason.Error);
    }

    [Theory]
    [External(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7925-6-1")]
    public async Task Clients_with_a_wrong_key_or_an_unknown_identity_get_nothing(string program)
    {
        await using StreamServer server = await StartAsync(TimeSpan.FromSeconds(2));
        string[] outputs = await Task.WhenAll(
            LibcoapClient.RunUntilRefusedAsync(program, server, 2, "-u", Identity, "-k", "anotherPSK", server.Uri("/hello")),
            LibcoapClient.RunUntilRefusedAsync(program, server, 2, "-u", "nobody", "-k", Key, server.Uri("/hello")));
        Assert.All(outputs, static output => Assert.DoesNotContain("hello world", output, StringComparison.Ordinal));
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Theory]
    [External(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7959-7-1")]
    public async Task Bodies_go_in_blocks_both_ways(string program)
    {
        byte[] body = Bodies.Make(20_000, 3);
        await using StreamServer server = await StartAsync();
        (_, PeerResult put) = await LibcoapClient.TransferByAsync(program, body, "-u", Identity, "-k", Key, "-b", "512", "-m", "put",
            server.Uri("/store"));
        Assert.Equal(string.Empty, put.Errors);
        Assert.Equal(body, server.Stored);
        Assert.Equal(body,
            (await LibcoapClient.TransferByAsync(program, null, "-u", Identity, "-k", Key, "-m", "get", server.Uri("/store"))).Body);
    }

    [Theory]
    [External(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    public async Task An_observer_hears_of_changes(string program)
    {
        await using StreamServer server = await StartAsync();
        await using PeerProcess client = PeerProcess.Start(program, "-B", LibcoapClient.Patience, "-w", "-s", LibcoapClient.Patience,
            "-u", Identity, "-k", Key, server.Uri("/quiet"));
        await client.WaitForLineAsync(static line => line == "first");
        server.Change("second");
        await client.WaitForLineAsync(static line => line == "second");
        server.Change("third");
        await client.WaitForLineAsync(static line => line == "third");
    }

    private static Task<PeerResult> AskAsync(string program, string uri) =>
        LibcoapClient.RunProgramAsync(program, "-u", Identity, "-k", Key, uri);

    private static Task<StreamServer> StartAsync(TimeSpan? handshakeTimeout = null) => StreamServer.StartAsync(new CoapDtlsOptions
    {
        Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { Identity, Encoding.ASCII.GetBytes(Key) } } },
        RetransmitTimeout = TimeSpan.FromMilliseconds(500),
        HandshakeTimeout = handshakeTimeout ?? PeerProcess.HangLimit,
    });
}
