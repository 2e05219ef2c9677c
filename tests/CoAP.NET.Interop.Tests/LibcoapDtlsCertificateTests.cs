using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// libcoap's clients with OpenSSL and with GnuTLS against our server over DTLS by certificates (RFC 7252 section 9.1.3.3).
/// </summary>
[External(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
public sealed class LibcoapDtlsCertificateTests : IDisposable
{
    private const string Name = "localhost";

    private readonly Certificates _certificates = new(Name);

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("7252-9.1.3.3-1", "7252-9.1.3-1")]
    public async Task Both_ends_authenticate_with_certificates(string program)
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer(asksClients: true));
        PeerResult result = await LibcoapClient.RunProgramAsync(
            program, "-C", _certificates.Authority, "-c", _certificates.ClientFile, "-j", _certificates.ClientKey,
            server.Uri("/who", Name));
        Assert.Equal("CN=device-7", result.Output);
    }

    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    public async Task A_client_without_a_certificate_is_served_when_client_certificates_are_optional(string program)
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer());
        Assert.Equal("hello world!",
            (await LibcoapClient.RunProgramAsync(program, "-C", _certificates.Authority, server.Uri("/hello", Name))).Output);
    }

    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    public async Task A_client_that_trusts_another_authority_gets_no_response(string program)
    {
        using Certificates others = new();

        // The client leaves without a word that the server could believe, so that only this time ends the handshake.
        CoapDtlsOptions options = _certificates.AsDtlsServer();
        options.HandshakeTimeout = TimeSpan.FromSeconds(2);
        await using StreamServer server = await StreamServer.StartAsync(options);
        string output = await LibcoapClient.RunUntilRefusedAsync(program, server, 1, "-C", others.Authority, server.Uri("/hello", Name));
        output.Omits("hello world");
        Assert.Equal(0, server.Server.Counters[CoapCounter.RequestsReceived]);
    }

    [Theory]
    [InlineData(LibcoapClient.SecureProgram, false)]
    [InlineData(LibcoapClient.GnuTlsProgram, false)]
    [InlineData(LibcoapClient.SecureProgram, true)]
    [InlineData(LibcoapClient.GnuTlsProgram, true)]
    public async Task A_client_without_a_required_certificate_is_refused(string program, bool hasAnother)
    {
        using Certificates others = new();
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer(asksClients: true));
        string[] shown = hasAnother ? ["-n", "-c", others.ClientFile, "-j", others.ClientKey] : ["-C", _certificates.Authority];
        string output = await LibcoapClient.RunUntilRefusedAsync(program, server, 1, [.. shown, server.Uri("/who", Name)]);
        output.Omits("CN=device-7");
        Assert.Null(server.LastIdentity);
        Assert.Equal(0, server.Server.Counters[CoapCounter.RequestsReceived]);
    }

    // A ping over datagrams is an empty Confirmable message, and its pong a Reset (RFC 7252 section 4.3).
    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    public async Task A_client_that_sends_keepalive_pings_gets_a_reply_to_each_ping(string program)
    {
        await using StreamServer server = await StreamServer.StartAsync(_certificates.AsDtlsServer());
        await using PeerProcess client = PeerProcess.Start(
            program, "-v", "7", "-K", "1", "-s", LibcoapClient.Patience, "-B", LibcoapClient.Patience, "-C", _certificates.Authority,
            server.Uri("/quiet", Name));
        await client.WaitForLinesAsync(line => line.Contains("t:CON c:0.00"), 2);
        await client.WaitForLinesAsync(line => line.Contains("t:RST c:0.00"), 2);
    }
}
