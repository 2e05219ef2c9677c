using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli.Tests;

/// <summary>coaps: who is let in and whom the tool trusts, by the same switches as on coaps+tcp.</summary>
/// <remarks>Real clock: handshakes that fail end by the time limit of the tool.</remarks>
public sealed class DtlsTests : FolderTest
{
    private const string Key = "0x8d3f51b2c07a46e99b1e20f4d5a6c733";

    private readonly TlsCertificates _certificates = new();

    public override void Dispose()
    {
        base.Dispose();
        _certificates.Dispose();
    }

    [Fact]
    public async Task A_pre_shared_key_of_the_command_line_or_of_a_file_opens_a_session()
    {
        await using CoapServer server = await StartAsync(new CoapDtlsServerOptions { PskStore = Keys() });
        string uri = server.LocalEndpoints[0].Origin();

        CliRun line = await CliHarness.RunAsync("get", $"{uri}/who", "--psk", $"urn:dev:meter:{Key}");
        CliRun file = await CliHarness.RunAsync("get", $"{uri}/who", "--psk-file",
            Write("key", $"# of the meter\n\nurn:dev:meter:{Key}\n"));
        CliRun ping = await CliHarness.RunAsync("ping", uri, "--psk", $"urn:dev:meter:{Key}");
        CliRun found = await CliHarness.RunAsync("discover", uri, "--psk", $"urn:dev:meter:{Key}");
        CliRun large = await CliHarness.RunAsync("get", $"{uri}/large", "--psk", $"urn:dev:meter:{Key}");

        line.HasExitCode(ExitCodes.Success);
        Assert.Equal("urn:dev:meter", line.Out);
        file.HasExitCode(ExitCodes.Success);
        Assert.Equal("urn:dev:meter", file.Out);
        ping.Out.Begins($"{uri} answered in ");
        found.HasOut("who");
        Assert.Equal(new string('x', 5000), large.Out);
    }

    [Fact]
    public async Task The_messages_of_a_handshake_and_the_agreed_suite_are_shown_when_verbose()
    {
        await using CoapServer server = await StartAsync(new CoapDtlsServerOptions { PskStore = Keys() });

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}who", "--psk", $"urn:dev:meter:{Key}", "-v");

        run.HasExitCode(ExitCodes.Success);
        string[] messages =
        [
            .. Regex.Matches(run.Error, @"^([<>]) \d+\.\d{3} (?:to|from) 127\.0\.0\.1:\d+  (\w{4,})  \d+ B", RegexOptions.Multiline)
                .Select(match => $"{match.Groups[1].Value} {match.Groups[2].Value}"),
        ];
        Assert.Equal(
            ["> ClientHello", "< HelloVerifyRequest", "> ClientHello", "< ServerHello", "< ServerHelloDone", "> ClientKeyExchange",
                "> Finished", "< Finished"],
            messages);
        run.HasError("TLS_PSK_WITH_AES_128_CCM_8, extended master secret, Connection IDs, path checks");
    }

    [Fact]
    public async Task The_reason_of_a_refused_handshake_is_shown_when_verbose()
    {
        await using CoapServer server = await StartAsync(new CoapDtlsServerOptions { Certificate = _certificates.Server(["127.0.0.1"]) });

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}who", "-v");

        Assert.NotEqual(ExitCodes.Success, run.ExitCode);
        run.HasError("< ");
        Assert.Matches(new Regex(@"^> .* bad_certificate \(42\)  2 B  .*does not trust the peer", RegexOptions.Multiline), run.Error);
    }

    [Fact]
    public async Task A_server_with_a_certificate_is_trusted_by_its_authority_and_its_name()
    {
        string authority = Write("ca.pem", _certificates.Authority.ExportCertificatePem());
        await using CoapServer server = await StartAsync(new CoapDtlsServerOptions { Certificate = _certificates.Server(["127.0.0.1"]) });
        await using CoapServer other =
            await StartAsync(new CoapDtlsServerOptions { Certificate = _certificates.Server(["other.example"]) });
        string uri = $"{server.LocalEndpoints[0]}text";

        CliRun trusted = await CliHarness.RunAsync("get", uri, "--ca", authority);
        CliRun unknown = await CliHarness.RunAsync("get", uri);
        CliRun insecure = await CliHarness.RunAsync("get", uri, "--insecure");
        CliRun name = await CliHarness.RunAsync("get", $"{other.LocalEndpoints[0]}text", "--ca", authority);

        trusted.HasExitCode(ExitCodes.Success);
        Assert.Equal("21.5", trusted.Out);
        unknown.HasExitCode(ExitCodes.Network);
        unknown.HasError("\nhint: --ca FILE trusts the authority");
        Assert.Equal("21.5", insecure.Out);
        name.HasExitCode(ExitCodes.Network);
        name.HasError("must be a name of the certificate");
    }

    [Fact]
    public async Task The_bench_command_accepts_the_keys_and_authorities_of_other_commands()
    {
        string authority = Write("ca.pem", _certificates.Authority.ExportCertificatePem());
        string key = Write("key", $"urn:dev:meter:{Key}\n");
        await using CoapServer keys = await StartAsync(new CoapDtlsServerOptions { PskStore = Keys() });
        await using CoapServer server = await StartAsync(new CoapDtlsServerOptions { Certificate = _certificates.Server(["127.0.0.1"]) });

        Task<CliRun> LoadAsync(CoapServer target, params string[] args) => CliHarness.RunAsync(
            ["bench", $"{target.LocalEndpoints[0]}text", "--peers", "1", "--loop", "open", "--rate", "20", "--seconds", "200ms",
                "--warm-up", "0", "--ramp", "0", "--timeout", "60", "--quiet", "--json", "-", .. args]);

        foreach (CliRun run in (CliRun[])[
            await LoadAsync(keys, "--psk-file", key), await LoadAsync(keys, "--psk", $"urn:dev:meter:{Key}"),
            await LoadAsync(server, "--ca", authority), await LoadAsync(server, "--insecure")])
        {
            run.HasExitCode(ExitCodes.Success);
            run.Out.Replace("\"errors\":{}", "\"errors\": {}").Mentions("\"errors\": {}");
            (run.Out + run.Error).Omits(Key);
        }

        (await LoadAsync(server)).Out.Mentions("failed handshake");
        (await LoadAsync(server, "--insecure", "--workers", "127.0.0.1")).Error.Mentions("do not go to workers");
        Assert.Equal(ExitCodes.File, (await LoadAsync(keys, "--psk-file", $"{key}.none")).ExitCode);
    }

    [Fact]
    public async Task A_client_certificate_is_sent_to_the_server()
    {
        string authority = Write("ca.pem", _certificates.Authority.ExportCertificatePem());
        X509Certificate2 client = _certificates.Client("device");
        string certificate = Write("client.pem", client.ExportCertificatePem());
        string key = Write("client.key", client.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        CoapDtlsServerOptions options = new() { Certificate = _certificates.Server(["127.0.0.1"]), RequireClientCertificate = true };
        options.TrustedAuthorities.Add(_certificates.Authority);
        await using CoapServer server = await StartAsync(options);
        string uri = $"{server.LocalEndpoints[0]}who";

        CliRun shown = await CliHarness.RunAsync("get", uri, "--ca", authority, "--cert", certificate, "--key", key);
        CliRun none = await CliHarness.RunAsync("get", uri, "--ca", authority);

        shown.HasExitCode(ExitCodes.Success);
        Assert.Equal("CN=device", shown.Out);
        none.HasExitCode(ExitCodes.Network);
        none.HasError("--cert FILE");
    }

    [Theory]
    [InlineData("A pre-shared key works only with coaps://, and the request goes to coap://.", "get", "coap://127.0.0.1/", "--psk", "a:sesame")]
    [InlineData("A pre-shared key works only with coaps://, and the request goes to coaps+tcp://.", "get", "coaps+tcp://127.0.0.1/", "--psk", "a:sesame")]
    [InlineData("A pre-shared key works only with coaps://, and the request goes to coap://.", "get", "coaps://127.0.0.1/", "--proxy", "coap://127.0.0.1",
        "--psk", "a:sesame")]
    [InlineData("Both --psk and --psk-file are present.", "get", "coaps://127.0.0.1/", "--psk", "a:sesame", "--psk-file", "x")]
    [InlineData("--psk: There is no colon", "get", "coaps://127.0.0.1/", "--psk", "sesame")]
    [InlineData("--psk: The key begins with 0x", "ping", "coaps://127.0.0.1/", "--psk", "a:0xsesame")]
    [InlineData("--key needs --cert", "get", "coaps://127.0.0.1/", "--key", "x")]
    [InlineData("coaps needs keys, but none are set.", "serve", "--bind", "coaps://127.0.0.1:0")]
    [InlineData("Pre-shared keys are for coaps://, and the server does not listen on it.", "serve", "--bind", "coap://127.0.0.1:0", "--psk",
        "a:sesame")]
    public async Task Contradicting_options_are_reported_before_sending_and_no_key_is_shown(string error, params string[] args)
    {
        CliRun run = await CliHarness.RunAsync(args);

        run.HasExitCode(ExitCodes.Usage);
        run.Error.Begins($"coap: {error}");
        run.HasError("\nhint: ");
        run.HasNoError("sesame");
    }

    [Theory]
    [InlineData("")]
    [InlineData("a:b\nc:d\n")]
    [InlineData("sesame\n")]
    public async Task A_key_file_without_exactly_one_key_is_refused(string text)
    {
        CliRun run = await CliHarness.RunAsync("get", "coaps://127.0.0.1/", "--psk-file", Write("keys", text));

        run.HasExitCode(ExitCodes.File);
        run.HasNoError("sesame");
    }

    private static CoapPskDictionary Keys() => new() { CoapPskCredential.Parse($"urn:dev:meter:{Key}") };

    private static Task<CoapServer> StartAsync(CoapDtlsServerOptions options) => TestServer.StartAsync(
        server => server.MapGet("/who",
            request => CoapResults.Text(request.Peer.Identity is CoapDtlsPeerIdentity identity
                ? identity.PskIdentity ?? identity.Certificate?.Subject ?? ""
                : "")),
        "coaps://127.0.0.1:0",
        new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Server = options }));

    private string Write(string name, string text)
    {
        string path = Path.Combine(Folder, name);
        File.WriteAllText(path, text);
        return path;
    }
}
