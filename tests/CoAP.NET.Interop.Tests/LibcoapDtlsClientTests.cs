using System.Text;
using CoAP.NET.Dtls;
using CoAP.NET.Interop.Tests.Peers;

namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's clients with OpenSSL and with GnuTLS against our server over DTLS by pre-shared keys (RFC 7252 section 9.1.3.1). Neither knows of Connection IDs, which our server offers.</summary>
public sealed class LibcoapDtlsClientTests
{
    private const string Identity = "device-7";
    private const string Key = "secretPSK";

    [PeerTheory(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
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

    [PeerTheory(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram, Identity, "anotherPSK")]
    [InlineData(LibcoapClient.GnuTlsProgram, Identity, "anotherPSK")]
    [InlineData(LibcoapClient.SecureProgram, "nobody", Key)]
    [InlineData(LibcoapClient.GnuTlsProgram, "nobody", Key)]
    [Rfc("7925-6-1")]
    public async Task A_client_with_a_wrong_key_or_an_unknown_identity_gets_nothing(string program, string identity, string key)
    {
        await using StreamServer server = await StartAsync();
        PeerResult result = await LibcoapClient.RunProgramAsync(program, "-B", "4", "-u", identity, "-k", key, server.Uri("/hello"));
        Assert.DoesNotContain("hello", result.Output, StringComparison.Ordinal);
        await server.WaitForFailureAsync();
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [PeerTheory(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7959-7-1")]
    public async Task Bodies_go_in_blocks_both_ways(string program)
    {
        byte[] body = Bodies.Make(20_000, 3);
        await using StreamServer server = await StartAsync();
        (_, PeerResult put) = await LibcoapClient.TransferByAsync(program, body, "-u", Identity, "-k", Key, "-b", "512", "-m", "put", server.Uri("/store"));
        Assert.Equal(string.Empty, put.Errors);
        Assert.Equal(body, server.Stored);
        Assert.Equal(body, (await LibcoapClient.TransferByAsync(program, null, "-u", Identity, "-k", Key, "-m", "get", server.Uri("/store"))).Body);
    }

    [PeerTheory(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    public async Task An_observer_hears_of_changes(string program)
    {
        await using StreamServer server = await StartAsync();
        await using PeerProcess client = PeerProcess.Start(program, "-B", "30", "-w", "-s", "20", "-u", Identity, "-k", Key, server.Uri("/quiet"));
        await client.WaitForLineAsync(static line => line == "first");
        server.Change("second");
        await client.WaitForLineAsync(static line => line == "second");
        server.Change("third");
        await client.WaitForLineAsync(static line => line == "third");
    }

    // Of its datagrams the first is a ClientHello, the second that with the cookie, the third has ClientKeyExchange (GnuTLS sends each message by itself), and so on up to the request.
    [PeerTheory(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram, "1")]
    [InlineData(LibcoapClient.SecureProgram, "2")]
    [InlineData(LibcoapClient.SecureProgram, "3,4")]
    [InlineData(LibcoapClient.GnuTlsProgram, "1")]
    [InlineData(LibcoapClient.GnuTlsProgram, "2")]
    [InlineData(LibcoapClient.GnuTlsProgram, "3,4")]
    [Rfc("6347-4.2.4-1")]
    public async Task Datagrams_that_the_client_loses_come_again(string program, string lost)
    {
        await using StreamServer server = await StartAsync();
        Assert.Equal("hello world!", (await LibcoapClient.RunProgramAsync(program, "-l", lost, "-B", "20", "-u", Identity, "-k", Key, server.Uri("/hello"))).Output);
    }

    // What is lost of the server's: the cookie, the flight with ServerHello, that with Finished, an answer.
    [PeerTheory(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("6347-4.2.4-1")]
    public async Task Datagrams_that_are_lost_or_doubled_on_the_way_change_nothing(string program)
    {
        await using StreamServer server = await StartAsync();
        LossyPath toServer = new(loseEvery: 0, doubleEvery: 2);
        LossyPath toClient = new(loseEvery: 3, doubleEvery: 2);
        await using LossyRelay relay = new(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, new Uri(server.Uri("/")).Port), toServer, toClient);
        string uri = relay.Uri("/who").Replace("coap:", "coaps:", StringComparison.Ordinal);
        Assert.Equal(Identity, (await LibcoapClient.RunProgramAsync(program, "-B", "20", "-u", Identity, "-k", Key, uri)).Output);
        Assert.True(toClient.Lost > 0 && toServer.Doubled > 0);
    }

    private static Task<PeerResult> AskAsync(string program, string uri) => LibcoapClient.RunProgramAsync(program, "-u", Identity, "-k", Key, uri);

    private static Task<StreamServer> StartAsync() => StreamServer.StartAsync(new CoapDtlsOptions
    {
        Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { Identity, Encoding.ASCII.GetBytes(Key) } } },
        RetransmitTimeout = TimeSpan.FromMilliseconds(500),
        HandshakeTimeout = TimeSpan.FromSeconds(6),
    });
}
