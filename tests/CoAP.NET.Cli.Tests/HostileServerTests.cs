using System.Globalization;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli.Tests;

/// <summary>
/// Nothing that a peer writes commands the terminal, changes the order of what is read, or begins a line of its own where one line is told.
/// </summary>
public sealed class HostileServerTests
{
    // Title of the window, bell, C1 control sequence, color, bidirectional controls, lines, emoji and markup of the library that draws.
    private const string Hostile =
        "a\u001b]0;owned\u0007\u009b31m\u001b[2J\u202eb\u2066c\u200f\r\nforged: line\u0085forged: too\u007f :bomb: [red]x[/]";

    [Theory]
    [InlineData("get", "/diagnostic")]
    [InlineData("get", "/problem")]
    [InlineData("put", "/location", "-e", "a")]
    [InlineData("observe", "/diagnostic", "--count", "1")]
    [InlineData("observe", "/hostile-text", "--count", "1")]
    [InlineData("discover", "/diagnostic")]
    [InlineData("discover", "/links")]
    [InlineData("discover", "/links", "--json")]
    [InlineData("discover", "/hostile-text")]
    [InlineData("get", "/diagnostic", "-v")]
    [InlineData("get", "/diagnostic", "-vv")]
    [InlineData("put", "/location", "-e", "a", "-v")]
    [InlineData("put", "/location", "-e", "a", "-vv")]
    [InlineData("get", "/hostile-text")]
    [InlineData("get", "/hostile-text", "--json")]
    [InlineData("get", "/quoted")]
    [InlineData("get", "/quoted", "--json")]
    [InlineData("get", "/item")]
    [InlineData("get", "/senml")]
    [InlineData("get", "/links")]
    [InlineData("bench", "/diagnostic", "--peers", "1", "--seconds", "0.1", "--warm-up", "0", "--quiet")]
    public async Task Responses_of_a_server_cannot_send_control_sequences_to_the_terminal(string command, string path, params string[] more)
    {
        await using CoapServer server = await StartAsync();
        string[] args = [command, server.LocalEndpoints[0].Origin() + path, .. more];

        CliRun plain = await CliHarness.OnTerminal(width: 400)
            .InvokeAsync([.. args, .. command == "bench" ? (string[])[] : ["--color", "never"]]);
        CliRun colored = await CliHarness.OnTerminal(width: 400).InvokeAsync(args);

        AssertHarmless(plain.Out + plain.Error);
        AssertHarmless(Regex.Replace(colored.Out + colored.Error, "\u001b\\[(0|1|2|[349][0-7]|38;5;[0-9]+)(;[0-9]+)*m", ""));
        (colored.Out + colored.Error).Omits("\u001b[2J");
        if (path is "/diagnostic" or "/location" or "/links" or "/senml")
        {
            Assert.DoesNotMatch("(?m)^forged", colored.Out + colored.Error);
        }
    }

    [Fact]
    public async Task Redirected_output_keeps_the_text_unchanged()
    {
        await using CoapServer server = await StartAsync();

        CliRun run = await CliHarness.RunAsync("get", server.LocalEndpoints[0] + "hostile-text", "--json");
        CliRun raw = await CliHarness.RunAsync("get", server.LocalEndpoints[0] + "hostile-text");

        Assert.Equal(Hostile, JsonDocument.Parse(run.Out).RootElement.TextOf("payload"));
        Assert.Equal(Hostile, raw.Out);
    }

    [Fact]
    public async Task Text_between_colons_is_not_replaced_by_emoji()
    {
        await using CoapServer server = await StartAsync();

        CliRun run = await CliHarness.OnTerminal().InvokeAsync("get", server.LocalEndpoints[0] + "diagnostic");

        run.HasError(":bomb: [red]x[/]");
    }

    [Theory]
    [InlineData("coaps")]
    [InlineData("coaps+tcp")]
    public async Task The_subject_of_an_untrusted_certificate_cannot_send_control_sequences_to_the_terminal(string scheme)
    {
        using X509Certificate2 certificate = HostileCertificate();
        CoapEndpointOptions options = new()
        {
            Tls = new CoapTlsOptions { Server = new SslServerAuthenticationOptions { ServerCertificate = certificate } }
        };
        options.UseDtls(new CoapDtlsOptions { Server = new CoapDtlsServerOptions { Certificate = certificate } });
        await using CoapServer server = await TestServer.StartAsync(uri: $"{scheme}://127.0.0.1:0", options: options);

        CliRun run = await CliHarness.OnTerminal().InvokeAsync("get", $"{server.LocalEndpoints[0]}text", "--color", "never");

        run.HasExitCode(ExitCodes.Network);
        run.HasError("owned");
        AssertHarmless(run.Out + run.Error);
        Assert.DoesNotMatch("(?m)^forged", run.Error);
    }

    [Fact]
    public async Task Requests_of_a_client_cannot_send_control_sequences_to_the_terminal_of_a_logging_server()
    {
        string folder = Directory.CreateTempSubdirectory("coap-hostile-").FullName;
        using CancellationTokenSource stop = new();
        try
        {
            CliHarness serving = new() { IsTerminal = true, Stopped = stop.Token };
            Task<CliRun> running = serving.InvokeAsync("serve", folder, "--bind", "coap://127.0.0.1:0", "--color", "never");
            await serving.WhenErrorAsync("Ctrl-C to stop");
            await using CoapClient client = new();
            CoapRequest request = new(CoapMethod.Get, serving.OutSoFar.Split('\n')[0]);
            request.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(Hostile));

            await client.SendAsync(request);
            await stop.CancelAsync();
            CliRun run = await running.WaitAsync(FromMinutes(2));

            run.HasError("owned");
            AssertHarmless(run.Out + run.Error);
            Assert.DoesNotMatch("(?m)^forged", run.Error);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Decoded_messages_cannot_send_control_sequences_to_the_terminal()
    {
        byte[] hostile = Encoding.UTF8.GetBytes(Hostile);
        string option = Convert.ToHexString([0xbd, (byte)(hostile.Length - 13), .. hostile]);
        string payload = Convert.ToHexString([0xff, .. hostile]);

        CliRun run = await new CliHarness { IsTerminal = true }.InvokeAsync("decode", "40013039" + option + payload, "--color", "never");

        run.HasOut("owned");
        AssertHarmless(run.Out + run.Error);
        Assert.DoesNotMatch("(?m)^forged", run.Out);
    }

    [Fact]
    public async Task A_foreign_report_cannot_send_control_sequences_to_the_terminal()
    {
        string file = Path.GetTempFileName();
        try
        {
            await using CoapServer server = await StartAsync();
            string report = "";
            await LongEnough.RunAsync(async factor =>
            {
                await CliHarness.RunAsync(
                    "bench", server.LocalEndpoints[0] + "diagnostic", "--peers", "1", "--seconds",
                    (0.1 * factor).ToString(CultureInfo.InvariantCulture), "--warm-up", "0", "--quiet", "--json", file);
                report = await File.ReadAllTextAsync(file);
                return report.Contains("\"4.04\"");
            });

            await File.WriteAllTextAsync(file, report.Replace("\"4.04\"", JsonSerializer.Serialize(Hostile)));

            CliRun run = await new CliHarness { IsTerminal = true }.InvokeAsync("bench", "report", file);

            run.HasOut("owned");
            AssertHarmless(run.Out + run.Error);
            Assert.DoesNotMatch("(?m)^forged", run.Out);
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static void AssertHarmless(string seen)
    {
        foreach (char c in seen)
        {
            bool isBidi = c is '\u061c' or '\u200e' or '\u200f' or (>= '\u202a' and <= '\u202e') or (>= '\u2066' and <= '\u2069');
            Assert.False((char.IsControl(c) && c is not ('\n' or '\t')) || isBidi, $"U+{(int)c:X4} in: {Regex.Escape(seen)}");
        }
    }

    private static Task<CoapServer> StartAsync() => TestServer.StartAsync(server =>
    {
        server.MapGet("/diagnostic", () => CoapResults.NotFound(Hostile));
        server.MapGet("/problem", () => CoapResults.Problem(CoapCode.BadRequest, new CoapProblem
        {
            Title = Hostile,
            Detail = Hostile,
            Instance = Hostile,
            NamedEntries = { [Hostile] = Cbor(Hostile) },
        }));
        server.MapPut("/location", () => CoapResults.Created().With(new LocationPathOption(Hostile)));
        server.MapGet("/hostile-text", () => CoapResults.Text(Hostile));
        Replace(server, "/links",
            Encoding.UTF8.GetBytes($"</{Hostile.ReplaceLineEndings(" ")}>;rt=\"{Hostile}\";title=\"{Hostile}\";x=\"{Hostile}\""),
            CoapContentFormat.LinkFormat);
        Replace(server, "/senml",
            JsonSerializer.SerializeToUtf8Bytes(
                new[] { new Dictionary<string, object> { ["n"] = "a", ["vs"] = Hostile, ["u"] = Hostile } }), CoapContentFormat.SenmlJson);
        Replace(server, "/quoted", JsonSerializer.SerializeToUtf8Bytes(new Dictionary<string, string> { [Hostile] = Hostile }),
            CoapContentFormat.Json);
        Replace(server, "/item", Cbor(Hostile), CoapContentFormat.Cbor);
    });

    private static void Replace(CoapServer server, string path, byte[] bytes, CoapContentFormat format) =>
        server.MapGet(path, () => CoapResults.Bytes(bytes, format));

    private static byte[] Cbor(string text)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text);
        return [0xa1, 0x01, 0x78, (byte)utf8.Length, .. utf8];
    }

    private static X509Certificate2 HostileCertificate()
    {
        X500DistinguishedNameBuilder name = new();
        name.AddCommonName(Hostile[..40]);
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new(name.Build(), key, HashAlgorithmName.SHA256);
        using X509Certificate2 made = request.CreateSelfSigned(new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero),
            new DateTimeOffset(2100, 1, 1, 0, 0, 0, TimeSpan.Zero));
        return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null);
    }
}
