using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Interop.Tests;

/// <summary>curl through a proxy between HTTP and CoAP (RFC 8075).</summary>
public sealed class CurlTests
{
    private const string Program = "curl";

    [Fact]
    [External(Program)]
    [Rfc("8075-5.3-1", "7252-10.2.2-1")]
    public async Task Curl_reads_changes_and_observes_a_CoAP_resource_through_the_HTTP_proxy()
    {
        string state = "off";
        await using CoapServer device = new();
        device.Listen("coap://127.0.0.1:0");
        CoapRouteHandlerBuilder lamp = device.MapGet("/lamp a/b", () => state).Observable();
        device.MapPut("/lamp a/b", request =>
        {
            state = request.GetText();
            lamp.Notify();
            return CoapResults.Changed();
        });
        await device.StartAsync();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        await using WebApplication web = builder.Build();
        web.MapCoapProxy("/hc/{**target}", proxy =>
        {
            proxy.AllowAnonymous = true;
            proxy.Targets.AllowNetwork("127.0.0.0/8:*");
        });
        await web.StartAsync();
        string proxy = web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        string uri = $"{proxy}/hc/{device.LocalEndpoints[0]}lamp%20a/b";

        PeerResult put = await RunAsync("-sS", "-w", "%{http_code}", "-X", "PUT", "-H", "Content-Type: text/plain", "-d", "on", uri);
        PeerResult get = await RunAsync("-sS", "-w", " %{http_code} %{content_type}", uri);
        PeerResult form = await RunAsync("-sS", "-o", "/dev/null", "-w", "%{http_code}", "-d", "a=b", uri);
        PeerResult missing = await RunAsync("-sS", "-I", $"{proxy}/hc/{device.LocalEndpoints[0]}nothing");
        await using PeerProcess events = PeerProcess.Start(Program, "-sSN", "-H", "Accept: text/event-stream", uri);
        await events.WaitForLineAsync(line => line == "data: on");

        Assert.Equal("204", put.Output.Trim());
        Assert.Equal("on 200 text/plain; charset=utf-8", get.Output.Trim());
        Assert.Equal("415", form.Output.Trim());
        missing.Output.Begins("HTTP/1.1 404");
        events.Output.ReplaceLineEndings("\n").Mentions("event: notification\nid: 1\ndata: on\n");
    }

    private static async Task<PeerResult> RunAsync(params string[] arguments)
    {
        await using PeerProcess process = PeerProcess.Start(Program, arguments);
        return await process.WaitForExitAsync();
    }
}
