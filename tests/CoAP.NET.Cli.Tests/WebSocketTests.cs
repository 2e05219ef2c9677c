using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cli.Tests;

/// <summary>The tool beside a web server.</summary>
public sealed class WebSocketTests
{
    [Fact]
    public async Task Messages_over_a_web_socket_are_shown()
    {
        await using CoapServer coap = MakeServer();
        await using WebApplication web = await StartAsync(coap);

        CliRun run = await CliHarness.RunAsync("get", $"{AddressOf(web, "coap+ws")}/text", "-v");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("21.5", run.Out);
        run.HasError("  GET  token");
        run.HasError("2.05 Content");
    }

    [Fact]
    public async Task The_tree_of_a_web_server_is_drawn()
    {
        await using CoapServer coap = MakeServer();
        await using WebApplication web = await StartAsync(coap);

        CliRun run = await CliHarness.RunAsync("discover", AddressOf(web, "coap+ws"));

        run.HasExitCode(ExitCodes.Success);
        run.HasOut("text");
    }

    [Fact]
    public async Task A_web_server_answers_pings()
    {
        await using CoapServer coap = MakeServer();
        await using WebApplication web = await StartAsync(coap);

        CliRun run = await CliHarness.RunAsync("ping", AddressOf(web, "coap+ws"));

        run.HasExitCode(ExitCodes.Success);
    }

    [Fact]
    public async Task The_certificate_of_a_web_server_is_trusted_through_its_named_authority_only()
    {
        using TlsCertificates certificates = new();
        string authority = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(authority, certificates.Authority.ExportCertificatePem());
            await using CoapServer coap = MakeServer();
            await using WebApplication web = await StartAsync(coap, certificates.Server(["127.0.0.1"]));

            CliRun trusted = await CliHarness.RunAsync("get", $"{AddressOf(web, "coaps+ws")}/text", "--ca", authority);
            CliRun unknown = await CliHarness.RunAsync("get", $"{AddressOf(web, "coaps+ws")}/text");

            trusted.HasExitCode(ExitCodes.Success);
            Assert.Equal("21.5", trusted.Out);
            unknown.HasExitCode(ExitCodes.Network);
            unknown.HasError("--ca FILE");
        }
        finally
        {
            File.Delete(authority);
        }
    }

    [Theory]
    [InlineData("coap+ws", "a web server answers there without TLS (coaps+ws is with)")]
    [InlineData("coaps+ws", "a web server answers there with TLS (coap+ws is without)")]
    public async Task The_error_for_a_port_without_a_web_server_explains_the_cause(string scheme, string advice)
    {
        await using CoapServer server = await TestServer.StartAsync(uri: "coap+tcp://127.0.0.1:0");

        CliRun run = await CliHarness.RunAsync("get", $"{scheme}://{server.LocalEndpoints[0].Origin().Split("://")[1]}/text");

        run.HasExitCode(ExitCodes.Network);
        run.HasError(advice);
        run.HasError("the remote server: ");
    }

    [Theory]
    [InlineData("coap+ws://127.0.0.1:0")]
    [InlineData("COAPS+WS://*")]
    public async Task Serve_refuses_WebSocket_addresses_and_names_MapCoapWebSocket(string uri)
    {
        CliRun run = await CliHarness.RunAsync("serve", "--bind", uri);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("WebSockets need a web server");
        run.HasError("MapCoapWebSocket");
    }

    private static CoapServer MakeServer()
    {
        CoapServer coap = new();
        coap.MapGet("/text", () => CoapResults.Text("21.5"));
        return coap;
    }

    private static string AddressOf(WebApplication web, string scheme) => $"{scheme}://{new Uri(web.Urls.First()).Authority}";

    private static async Task<WebApplication> StartAsync(CoapServer coap, X509Certificate2? certificate = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration()
            .ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen =>
            {
                if (certificate is not null)
                {
                    listen.UseHttps(certificate);
                }
            }));
        WebApplication web = builder.Build();
        web.MapCoapWebSocket(coap);
        await web.StartAsync();
        return web;
    }
}
