namespace CoAP.NET.Interop.Tests;

/// <summary>
/// Our client against libcoap's servers with OpenSSL and with GnuTLS over DTLS by certificates (RFC 7252 section 9.1.3.3).
/// </summary>
[External(LibcoapServer.SecureProgram, LibcoapServer.GnuTlsProgram)]
public sealed class LibcoapDtlsServerCertificateTests : IDisposable
{
    private readonly Certificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    [Rfc("7252-9.1.3.3-1")]
    public async Task A_server_of_a_trusted_authority_answers_requests(string program)
    {
        await using LibcoapServer server = await StartAsync(program, _certificates, "-n");
        await using CoapClient client = Client(_certificates.AsDtlsClient());
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.DtlsUri("/time", "localhost")))).Code);
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    public async Task A_client_with_a_certificate_of_the_authority_is_served(string program)
    {
        await using LibcoapServer server = await StartAsync(program, _certificates, "-C", _certificates.Authority);
        await using CoapClient client = Client(_certificates.AsDtlsClient(showsItself: true));
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.DtlsUri("/time", "localhost")))).Code);
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    public async Task A_client_without_a_required_certificate_is_refused(string program)
    {
        await using LibcoapServer server = await StartAsync(program, _certificates, "-C", _certificates.Authority);
        await using CoapClient client = Client(_certificates.AsDtlsClient());
        await RefusalAsync(client, server);
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    public async Task A_server_of_another_authority_is_refused(string program)
    {
        using Certificates others = new();
        await using LibcoapServer server = await StartAsync(program, _certificates, "-n");
        await using CoapClient client = Client(others.AsDtlsClient());
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, (await RefusalAsync(client, server)).Reason);
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    [Rfc("7252-9.1.3.3-2", "7925-4.4.1-1")]
    public async Task A_server_with_a_certificate_for_another_name_is_refused(string program)
    {
        using Certificates others = new("other.example");
        await using LibcoapServer server = await StartAsync(program, others, "-n");
        await using CoapClient client = Client(others.AsDtlsClient());
        CoapDtlsException refused = await RefusalAsync(client, server);
        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, refused.Reason);
        refused.Message.Mentions("localhost");
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.DtlsUri("/time", "other.example")))).Code);
    }

    private static Task<CoapDtlsException> RefusalAsync(CoapClient client, LibcoapServer server) =>
        Refusals.OfAsync(client.GetAsync(server.DtlsUri("/time", "localhost")));

    private static Task<LibcoapServer> StartAsync(string program, Certificates certificates, params string[] arguments) =>
        LibcoapServer.StartProgramAsync(program, ["-c", certificates.ServerFile, "-j", certificates.ServerKey, .. arguments]);

    // Every name is this machine, so that a certificate may be for any name.
    private static CoapClient Client(CoapDtlsOptions dtls)
    {
        dtls.HandshakeTimeout = PeerProcess.HangLimit;
        CoapEndpointOptions endpoint =
            new() { Transports = { ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]) } };
        return new(endpoint.UseDtls(dtls));
    }
}
