using System.Security.Cryptography;
using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;

namespace CoAP.NET.Cli.Tests;

/// <summary>Requests whose keys EDHOC makes, with the credentials of files.</summary>
public sealed class EdhocTests : FolderTest
{
    public EdhocTests()
    {
        foreach (string name in new[] { "client", "server" })
        {
            using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            Write($"{name}.key", key.ExportPkcs8PrivateKeyPem());
            Write($"{name}.pub", key.ExportSubjectPublicKeyInfoPem());
            if (!OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(Named($"{name}.key"), UnixFileMode.UserRead | UnixFileMode.UserWrite);
            }
        }
    }

    [Theory]
    [InlineData("false")]
    [InlineData("true")]
    public async Task A_request_is_protected_by_keys_from_EDHOC(string combines)
    {
        Write("client.json", $$"""
            { "own": [ { "key": "client.key", "kid": "0x2b" } ], "trusted": [ { "publicKey": "server.pub", "kid": "0x32" } ],
              "combinesFirstRequest": {{combines}} }
            """);
        await using World world = new(this);
        await world.StartAsync();

        CliRun run = await CliHarness.RunAsync("get", $"{world.Uri}/door", "--edhoc", Named("client.json"));
        CliRun plain = await CliHarness.RunAsync("get", $"{world.Uri}/door");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("open", run.Out.Trim());
        plain.HasExitCode(ExitCodes.Of(CoapCode.Unauthorized));
    }

    [Theory]
    [InlineData("discover")]
    [InlineData("observe", "--count", "1")]
    [InlineData("get", "--bind", "127.0.0.1")]
    [InlineData("discover", "--bind", "127.0.0.1")]
    public async Task Each_command_that_sends_requests_agrees_on_keys(string command, params string[] args)
    {
        Write("client.json", """
            { "own": [ { "key": "client.key", "kid": "0x2b" } ], "trusted": [ { "publicKey": "server.pub", "kid": "0x32" } ] }
            """);
        await using World world = new(this);
        await world.StartAsync();

        CliRun run = await CliHarness.RunAsync(
            [command, command == "discover" ? world.Uri : $"{world.Uri}/door", "--edhoc", Named("client.json"), "-v", .. args]);

        run.HasExitCode(ExitCodes.Success);
        run.HasOut(command == "discover" ? "door" : "open");
        run.HasError("Uri-Path: edhoc");
        run.HasError("OSCORE");
    }

    [Fact]
    public async Task The_error_for_a_misspelled_name_suggests_the_known_name()
    {
        Write("client.json", """{ "own": [], "trustd": [] }""");

        CliRun run = await CliHarness.RunAsync("get", "coap://127.0.0.1:9/", "--edhoc", Named("client.json"));

        run.HasExitCode(ExitCodes.File);
        run.HasError("The file has an unknown name, trustd. Did you mean trusted?");
    }

    [Fact]
    public async Task An_untrusted_server_gets_no_request_and_the_error_says_what_to_do()
    {
        Write("client.json", """
            { "own": [ { "key": "client.key", "kid": "0x2b" } ], "trusted": [ { "publicKey": "server.pub", "kid": "0x33" } ] }
            """);
        await using World world = new(this);
        await world.StartAsync();

        CliRun run = await CliHarness.RunAsync("get", $"{world.Uri}/door", "--edhoc", Named("client.json"));

        run.HasExitCode(ExitCodes.Network);
        run.HasError("\"trusted\"");
        run.HasNoOut("open");
    }

    [Theory]
    [InlineData(null, "--edhoc-peer")]
    [InlineData("door 8", "not that of the expected peer")]
    [InlineData("door 7", null)]
    public async Task The_expected_server_gets_the_request_when_several_servers_are_trusted(string? peer, string? problem)
    {
        Write("client.json", """
            { "own": [ { "key": "client.key", "kid": "0x2b" } ],
              "trusted": [ { "publicKey": "server.pub", "kid": "0x32", "identity": "door 7" },
                           { "publicKey": "client.pub", "kid": "0x33", "identity": "door 8" } ] }
            """);
        await using World world = new(this);
        await world.StartAsync();

        CliRun run = await CliHarness.RunAsync(
            ["get", $"{world.Uri}/door", "--edhoc", Named("client.json"), .. peer is null ? (string[])[] : ["--edhoc-peer", peer]]);

        run.HasExitCode(problem is null ? ExitCodes.Success : ExitCodes.Network);
        (problem is null ? run.Out : run.Error).Mentions(problem ?? "open");
    }

    [Fact]
    public async Task An_expected_server_without_credentials_is_refused()
    {
        CliRun run = await CliHarness.RunAsync("get", "coap://127.0.0.1:9/", "--edhoc-peer", "door 7");

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("--edhoc-peer needs --edhoc");
    }

    [Theory]
    [InlineData("--oscore", "context.json", ExitCodes.Usage, "Give one of them")]
    [InlineData("--proxy", "coap://127.0.0.1:9", ExitCodes.Usage, "not through --proxy")]
    [InlineData("--timeout", "1s", ExitCodes.File, "none.json: The file")]
    public async Task Conflicting_options_are_refused(string option, string value, int code, string problem)
    {
        Write("context.json", """{ "masterSecret": "0x0102030405060708090a0b0c0d0e0f10", "senderId": "", "recipientId": "0x01" }""");

        CliRun run = await CliHarness.RunAsync(
            "get", "coap://127.0.0.1:9/", "--edhoc", Named("none.json"), option, value == "context.json" ? Named(value) : value);

        run.HasExitCode(code);
        run.HasError(problem);
    }

    private string Named(string name) => Path.Combine(Folder, name);

    private void Write(string name, string text) => File.WriteAllText(Named(name), text);

    private sealed class World : IAsyncDisposable
    {
        private readonly EdhocCredentialFile _file;
        private readonly EdhocServer _edhoc;
        private readonly CoapServer _server;

        public World(EdhocTests tests)
        {
            tests.Write("server.json", """
                { "own": [ { "key": "server.key", "kid": "0x32" } ], "trusted": [ { "publicKey": "client.pub", "kid": "0x2b" } ] }
                """);
            _file = EdhocCredentialFile.Read(tests.Named("server.json"));
            EdhocServerOptions options = new() { Contexts = new OscoreContexts() };
            _file.ApplyTo(options);
            _edhoc = new EdhocServer(options);
            CoapEndpointOptions endpoint = new();
            endpoint.UseOscore(options.Contexts);
            _server = new CoapServer(endpoint);
            _server.MapEdhoc(_edhoc);
            _server.MapGet("/door", _ => CoapResults.Content(CoapContent.Text("open"))).RequireOscore();
            _server.Listen("coap://127.0.0.1:0");
        }

        public string Uri => _server.LocalEndpoints[0].Origin();

        public Task StartAsync() => _server.StartAsync();

        public async ValueTask DisposeAsync()
        {
            await _server.DisposeAsync();
            _edhoc.Dispose();
            _file.Dispose();
        }
    }
}
