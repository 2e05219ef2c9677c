namespace CoAP.NET.Interop.Tests;

/// <summary>Our client against libcoap's server with OpenSSL over TLS (RFC 8323 section 8.2).</summary>
[External(LibcoapServer.SecureProgram)]
public sealed class LibcoapTlsServerTests : IDisposable
{
    private readonly Certificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Fact]
    public async Task Resources_are_read_and_changed()
    {
        await using LibcoapServer server = await StartAsync(_certificates, "-n");
        await using CoapClient client = Client(_certificates.AsClient());
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.SecureUri("/time")))).Code);
        Assert.Equal(CoapCode.Created, (await Within(client.PutAsync(server.SecureUri("/ours"), CoapContent.Text("x")))).Code);
        Assert.Equal("x", (await Within(client.GetAsync(server.SecureUri("/ours")))).GetText());
    }

    [Fact]
    public async Task A_PUT_and_a_GET_transfer_a_mebibyte()
    {
        await using LibcoapServer server = await StartAsync(_certificates, "-n");
        await using CoapClient client = Client(_certificates.AsClient());
        byte[] body = Bodies.Make(1024 * 1024, 8);
        Assert.True((await Within(client.PutAsync(server.SecureUri("/large"), CoapContent.Binary(body)))).IsSuccess);
        Assert.Equal(body, (await Within(client.GetAsync(server.SecureUri("/large")))).Payload.ToArray());
    }

    [Fact]
    public async Task A_client_with_a_certificate_of_the_authority_is_served()
    {
        await using LibcoapServer server = await StartAsync(_certificates, "-C", _certificates.Authority);
        await using CoapClient client = Client(_certificates.AsClient(showsItself: true));
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.SecureUri("/time")))).Code);
    }

    // With TLS 1.3 a client is done before the server has seen its certificate; then the connection ends before an answer.
    [Fact]
    public async Task A_client_without_a_required_certificate_is_refused()
    {
        await using LibcoapServer server = await StartAsync(_certificates, "-C", _certificates.Authority);
        await using CoapClient client = Client(_certificates.AsClient());
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(client.GetAsync(server.SecureUri("/time"))));
    }

    [Fact]
    public async Task A_server_of_another_authority_is_refused()
    {
        using Certificates others = new();
        await using LibcoapServer server = await StartAsync(_certificates, "-n");
        await using CoapClient client = Client(others.AsClient());
        await IsRefusedAsync(client, server);
    }

    [Fact]
    public async Task A_server_with_a_certificate_for_another_name_is_refused()
    {
        using Certificates others = new("other.example");
        await using LibcoapServer server = await StartAsync(others, "-n");
        await using CoapClient client = Client(others.AsClient());
        await IsRefusedAsync(client, server);
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.SecureUri("/time", "other.example")))).Code);
    }

    private static async Task IsRefusedAsync(CoapClient client, LibcoapServer server)
    {
        CoapConnectionException refused =
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(client.GetAsync(server.SecureUri("/time"))));
        Assert.Equal(CoapError.HandshakeFailed, refused.Error);
    }

    private static Task<LibcoapServer> StartAsync(Certificates certificates, params string[] arguments) =>
        LibcoapServer.StartSecureAsync(["-c", certificates.ServerFile, "-j", certificates.ServerKey, .. arguments]);

    // Every name is this machine, so that a certificate may be for any name.
    private static CoapClient Client(CoapTlsOptions tls) =>
        new(new CoapEndpointOptions
        {
            Tls = tls,
            Transports = { ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]) },
        });
}
