using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// libcoap's clients with OpenSSL and with GnuTLS against our server over DTLS by pre-shared keys (RFC 7252 section 9.1.3.1). Neither knows
/// of Connection IDs, which our server offers.
/// </summary>
[External(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
public sealed class LibcoapDtlsClientTests
{
    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7252-9.1.3.1-1")]
    public async Task A_client_with_a_key_is_identified_and_closes_its_session(string program)
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        PeerResult result = await AskAsync(program, server.Uri("/who"));
        Assert.Equal(StreamServer.Identity, result.Output);
        Assert.Equal("", result.Errors);
        Assert.Equal(CoapError.Closed, (await server.WaitForEndAsync()).Reason.Error);
    }

    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7925-6-1")]
    public async Task Clients_with_a_wrong_key_or_an_unknown_identity_get_no_response(string program)
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync(TimeSpan.FromSeconds(2));
        string[] outputs = await Task.WhenAll(
            LibcoapClient.RunUntilRefusedAsync(program, server, 2, "-u", StreamServer.Identity, "-k", "anotherPSK", server.Uri("/hello")),
            LibcoapClient.RunUntilRefusedAsync(program, server, 2, "-u", "nobody", "-k", StreamServer.Key, server.Uri("/hello")));
        Assert.All(outputs, output => Assert.DoesNotContain("hello world", output, Ordinal));
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7959-7-1")]
    public async Task Bodies_are_transferred_blockwise_in_both_directions(string program)
    {
        byte[] body = Bodies.Make(20_000, 3);
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        (_, PeerResult put) = await LibcoapClient.TransferByAsync(program, body, "-u", StreamServer.Identity, "-k", StreamServer.Key,
            "-b", "512", "-m", "put", server.Uri("/store"));
        Assert.Equal("", put.Errors);
        Assert.Equal(body, server.Stored);
        (byte[] got, _) = await LibcoapClient.TransferByAsync(
            program, null, "-u", StreamServer.Identity, "-k", StreamServer.Key, "-m", "get", server.Uri("/store"));
        Assert.Equal(body, got);
    }

    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    public async Task An_observer_gets_notifications_of_changes(string program)
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        await using PeerProcess client = PeerProcess.Start(program, "-B", LibcoapClient.Patience, "-w", "-s", LibcoapClient.Patience,
            "-u", StreamServer.Identity, "-k", StreamServer.Key, server.Uri("/quiet"));
        await client.WaitForLineAsync(line => line == "first");
        server.Change("second");
        await client.WaitForLineAsync(line => line == "second");
        server.Change("third");
        await client.WaitForLineAsync(line => line == "third");
    }

    private static Task<PeerResult> AskAsync(string program, string uri) =>
        LibcoapClient.RunProgramAsync(program, "-u", StreamServer.Identity, "-k", StreamServer.Key, uri);
}
