namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>
/// Wrong settings of coaps keep an application from starting, and are told by their keys. No message holds a key of anybody.
/// </summary>
public sealed class DtlsValidationTests : HostTest
{
    private const string Secret = "sesame";

    [Theory]
    [InlineData("Coap:Server:Dtls:PskFile = '/nowhere/keys': there is no file ", "Coap:Server:Dtls:PskFile", "/nowhere/keys")]
    [InlineData("Coap:Server:Dtls:Psk:meter: The key begins with 0x", "Coap:Server:Dtls:Psk:meter", "0x" + Secret)]
    [InlineData("Coap:Server:Dtls:Psk:meter: a text key must not contain a colon.", "Coap:Server:Dtls:Psk:meter", Secret + ":" + Secret)]
    [InlineData("Coap:Server:Dtls:Psk = '***': it is a list of items with keys of their own.", "Coap:Server:Dtls:Psk", "meter:" + Secret)]
    [InlineData("Coap:Server:Dtls:Key is set, but Coap:Server:Dtls:Certificate names no certificate.", "Coap:Server:Dtls:Key", "key.pem")]
    [InlineData("Coap:Server:Dtls has no credentials for clients.", "Coap:Server:Dtls:PskIdentityHint", "all")]
    [InlineData("Coap:Server:Dtls:MaxSessions = '0': allowed is: whole number, 1 to 10000000", "Coap:Server:Dtls:MaxSessions", "0")]
    [InlineData("Coap:Server:Dtls:CipherSuites = 'None': allowed is: one of PskAes128GcmSha256", "Coap:Server:Dtls:CipherSuites", "None")]
    [InlineData("Coap:Server:Dtls:PskFiles is not a known key. Did you mean Coap:Server:Dtls:PskFile?", "Coap:Server:Dtls:PskFiles",
        Secret)]
    [InlineData("Coap:Client:Dtls:PskKey is set, but Coap:Client:Dtls:PskIdentity is not.", "Coap:Client:Dtls:PskKey", Secret)]
    [InlineData("Coap:Client:Dtls:PskIdentity is set, but Coap:Client:Dtls:PskKey is not.", "Coap:Client:Dtls:PskIdentity", "meter")]
    [InlineData("Coap:Client:Dtls:Authorities = '/nowhere/ca.pem': there is no file ", "Coap:Client:Dtls:Authorities", "/nowhere/ca.pem")]
    public async Task A_wrong_setting_is_reported_by_its_key_and_shows_no_secret(string failure, string key, string value)
    {
        HostApplicationBuilder builder = Builder((key, value));
        builder.Services.AddCoapServer().UseDtls();
        builder.Services.AddCoapClient().UseDtls();
        string[] failures = await StartFailuresAsync(builder);
        Assert.Contains(failures, one => one.StartsWith(failure, Ordinal));
        Assert.DoesNotContain(failures, one => one.Contains(Secret, Ordinal));
    }

    [Theory]
    [InlineData("Coap:Server", "Dtls:PskFile", "Call", "UseDtls", "AddCoapServer")]
    [InlineData("Coap:Server", "Oscore:Files:0", "Reference the package CoAP.NET.Oscore, and call", "UseOscore", "AddCoapServer")]
    [InlineData("Coap:Server", "Edhoc:File", "Reference the package CoAP.NET.Edhoc, and call", "UseEdhoc", "AddCoapServer")]
    [InlineData("Coap:Client", "Dtls:PskKey", "Call", "UseDtls", "AddCoapClient")]
    [InlineData("Coap:Client", "Oscore:File", "Reference the package CoAP.NET.Oscore, and call", "UseOscore", "AddCoapClient")]
    [InlineData("Coap:Client", "Edhoc:File", "Reference the package CoAP.NET.Edhoc, and call", "UseEdhoc", "AddCoapClient")]
    public async Task The_error_for_a_section_that_was_not_added_names_its_package_and_the_call(
        string section, string key, string begin, string call, string add)
    {
        HostApplicationBuilder builder = Builder(
            ($"{section}:{key}", Secret), ("Coap:Server:AllowUnknownKeys", "true"), ("Coap:Client:AllowUnknownKeys", "true"));
        builder.Services.AddCoapServer();
        builder.Services.AddCoapClient();

        string failure = Assert.Single(await StartFailuresAsync(builder));

        Assert.Equal($"{section}:{key.Split(':')[0]} is set, but the application has not added it. {begin} {call} on "
            + $"what {add} returns.", failure);
    }

    [Fact]
    public async Task The_error_for_a_coaps_address_without_the_package_names_the_call()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coaps://127.0.0.1:0"));
        builder.Services.AddCoapServer();

        Assert.Single(await StartFailuresAsync(builder)).Ends(" For keys in Coap:Server:Dtls, call UseDtls on what AddCoapServer returns.");
    }

    [Fact]
    public async Task The_error_for_an_invalid_key_file_names_the_line_and_does_not_show_the_key()
    {
        string path = Path.GetTempFileName();
        await File.WriteAllTextAsync(path, $"meter:right\n{Secret}\n");
        HostApplicationBuilder builder = Builder(("Coap:Server:Dtls:PskFile", path));
        builder.Services.AddCoapServer().UseDtls();
        string failure = Assert.Single(await StartFailuresAsync(builder));
        File.Delete(path);
        failure.Begins($"Coap:Server:Dtls:PskFile = '{path}': {path}, line 2: ");
        failure.Omits(Secret);
    }

    [Fact]
    public async Task An_identity_with_two_keys_is_refused()
    {
        string path = Path.GetTempFileName();
        await File.WriteAllTextAsync(path, $"meter:{Secret}\n");
        HostApplicationBuilder builder = Builder(("Coap:Server:Dtls:PskFile", path), ("Coap:Server:Dtls:Psk:meter", Secret));
        builder.Services.AddCoapServer().UseDtls();
        string failure = Assert.Single(await StartFailuresAsync(builder));
        File.Delete(path);
        Assert.Equal("Coap:Server:Dtls:Psk:meter: Coap:Server:Dtls:PskFile has a key for this identity too. Leave one of them out.",
            failure);
    }

    [Fact]
    public async Task The_error_for_a_coaps_address_without_credentials_names_the_configuration_keys()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coaps://127.0.0.1:0"));
        builder.Services.AddCoapServer().UseDtls();
        string failure = Assert.Single(await StartFailuresAsync(builder));
        Assert.Equal("Coap:Server:Endpoints has an address that the server cannot listen on. coaps needs keys, but none are set. For "
            + "pre-shared keys set Coap:Server:Dtls:PskFile or Coap:Server:Dtls:Psk; for a certificate set Coap:Server:Dtls:Certificate. In "
            + "code, call UseDtls on Endpoint.", failure);
    }

    [Fact]
    public async Task The_error_for_a_coaps_request_of_a_server_without_credentials_names_the_configuration_keys()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddCoapServer().UseDtls();
        IHost host = await StartAsync(builder);
        await using CoapClient client = new(host.Services.GetRequiredService<CoapServer>().Endpoint);
        CoapException exception = await Assert.ThrowsAsync<CoapException>(() => Within(client.GetAsync("coaps://127.0.0.1/x")));
        exception.Message.Begins("coaps needs keys, but none are set.");
    }

    [Fact]
    public async Task Credentials_from_both_configuration_and_code_are_refused()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Dtls:Psk:meter", Secret));
        builder.Services.AddCoapServer(
            options => options.Endpoint.UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions() })).UseDtls();
        Assert.Equal("Coap:Server:Dtls is set, and code called UseDtls on Endpoint. Use configuration or code, not both.",
            Assert.Single(await StartFailuresAsync(builder)));
    }

    [Fact]
    public async Task A_certificate_that_coaps_cannot_use_is_refused_at_the_start()
    {
        string path = Path.GetTempFileName();
        using TlsCertificates certificates = new();
        await File.WriteAllTextAsync(path, certificates.Authority.ExportCertificatePem());
        HostApplicationBuilder builder = Builder(("Coap:Server:Dtls:Certificate", path));
        builder.Services.AddCoapServer().UseDtls();
        string failure = Assert.Single(await StartFailuresAsync(builder));
        File.Delete(path);
        failure.Begins($"Coap:Server:Dtls:Certificate = '{path}': ");
    }
}
