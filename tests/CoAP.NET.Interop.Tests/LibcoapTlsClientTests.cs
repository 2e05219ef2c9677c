using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's client with OpenSSL against our server over TLS (RFC 8323 section 8.2).</summary>
[External(LibcoapClient.SecureProgram)]
public sealed class LibcoapTlsClientTests : IDisposable
{
    private const string Name = "localhost";

    private readonly Certificates _certificates = new(Name);

    public void Dispose() => _certificates.Dispose();

    [Fact]
    public async Task A_client_that_trusts_the_authority_gets_a_resource()
    {
        await using StreamServer server = await StartAsync();
        PeerResult result = await LibcoapClient.RunSecureAsync("-C", _certificates.Authority, server.Uri("/hello", Name));
        Assert.Equal("hello world!", result.Output);
        Assert.Equal("", result.Errors);
    }

    [Fact]
    public async Task A_client_that_does_not_verify_the_server_is_served()
    {
        await using StreamServer server = await StartAsync();
        PeerResult result = await LibcoapClient.RunSecureAsync("-n", "-c", _certificates.ClientFile, "-j", _certificates.ClientKey,
            server.Uri("/hello"));
        Assert.Equal("hello world!", result.Output);
    }

    [Fact]
    public async Task A_client_that_trusts_another_authority_gets_no_response()
    {
        using Certificates others = new();
        await using StreamServer server = await StartAsync();
        string output = await LibcoapClient.RunUntilRefusedAsync(
            LibcoapClient.SecureProgram, server, 1, "-C", others.Authority, server.Uri("/hello", Name));
        output.Omits("hello world");
        Assert.Equal(0, server.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    public async Task The_client_certificate_is_the_identity_of_the_peer()
    {
        await using StreamServer server = await StartAsync(asksClients: true);
        PeerResult result = await LibcoapClient.RunSecureAsync(
            "-C", _certificates.Authority, "-c", _certificates.ClientFile, "-j", _certificates.ClientKey, server.Uri("/who", Name));
        Assert.Equal("CN=device-7", result.Output);
        Assert.Equal(Name, Assert.IsType<CoapTlsPeerIdentity>(server.LastIdentity).ServerName);
    }

    [Fact]
    public async Task A_client_without_a_required_certificate_is_refused()
    {
        await using StreamServer server = await StartAsync(asksClients: true);
        await LibcoapClient.RunUntilRefusedAsync(
            LibcoapClient.SecureProgram, server, 1, "-C", _certificates.Authority, server.Uri("/who", Name));
        Assert.Null(server.LastIdentity);
    }

    [Fact]
    public async Task A_client_with_a_certificate_of_another_authority_is_refused()
    {
        using Certificates others = new();
        await using StreamServer server = await StartAsync(asksClients: true);
        await LibcoapClient.RunUntilRefusedAsync(
            LibcoapClient.SecureProgram, server, 1, "-n", "-c", others.ClientFile, "-j", others.ClientKey, server.Uri("/who", Name));
        Assert.Null(server.LastIdentity);
    }

    [Fact]
    public async Task The_sample_server_answers_over_TLS()
    {
        await using SampleServer server = await SampleServer.StartAsync(
            "samples/Server", "--bind", "coaps+tcp://127.0.0.1:0", "--cert", _certificates.ServerFile, "--key", _certificates.ServerKey,
            "--client-ca", _certificates.Authority);
        PeerResult result = await LibcoapClient.RunSecureAsync(
            "-C", _certificates.Authority, "-c", _certificates.ClientFile, "-j", _certificates.ClientKey,
            $"coaps+tcp://{Name}:{server.Uri.Port}/hello");
        Assert.Equal("hello world!", result.Output);
    }

    private Task<StreamServer> StartAsync(bool asksClients = false) =>
        StreamServer.StartAsync(CoapSocketEngine.Auto, _certificates.AsServer(asksClients));
}
