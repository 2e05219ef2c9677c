using System.Collections.Concurrent;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Http.Tests;

/// <summary>A CoAP client, a CoAP server with a proxy, and an HTTP server behind it whose resources are below <c>/api</c>.</summary>
public abstract class BackendTest : IAsyncDisposable
{
    protected BackendTest(Action<ListenOptions>? listen = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen ?? (_ => { })));
        Web = builder.Build();
        Web.Use(async (context, next) =>
        {
            if (context.Request.Path.StartsWithSegments("/api/unread", Ordinal))
            {
                // What is below reads its body itself, if at all.
                await next(context);
                return;
            }

            using StreamReader reader = new(context.Request.Body);
            Seen.Enqueue((
                $"{context.Request.Method} {context.Request.Path}{context.Request.QueryString}",
                new HeaderDictionary(context.Request.Headers.ToDictionary(StringComparer.OrdinalIgnoreCase)),
                await reader.ReadToEndAsync()));
            await next(context);
        });
        Web.Map("/api/status/{status:int}", (int status) => Results.StatusCode(status));
        Server.Listen("coap://127.0.0.1:0");
    }

    protected CoapServer Server { get; } = new();

    protected CoapClient Client { get; } = new();

    /// <summary>Where the CoAP server is.</summary>
    protected string Coap => Server.LocalEndpoints[0].Origin();

    protected CoapProxy Proxy { get; } = new(new CoapProxyOptions { AllowSecuredTargetsToAnyone = true, RequireVerified = false });

    /// <summary>What the back end was asked.</summary>
    protected ConcurrentQueue<(string Line, IHeaderDictionary Headers, string Body)> Seen { get; } = [];

    protected WebApplication Web { get; }

    protected string Http => Web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        await Client.DisposeAsync();
        await Server.DisposeAsync();
        await Proxy.DisposeAsync();
        await Web.DisposeAsync();
    }

    protected async Task StartAsync(Action<CoapHttpBackendOptions>? configure = null)
    {
        await Web.StartAsync();
        Proxy.UseHttp(configure);
        Server.MapHttpBackend("/b/{*path}", Http + "/api", Proxy);
        Server.MapForwardProxy(Proxy);
        await Server.StartAsync();
    }
}
