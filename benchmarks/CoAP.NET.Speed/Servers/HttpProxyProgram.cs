using CoAP.NET.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Speed.Servers;

/// <summary>
/// A proxy from HTTP to CoAP servers of this machine: Kestrel without logging, as <see cref="HttpServer"/>; <c>http-proxy</c>.
/// </summary>
internal static class HttpProxyProgram
{
    public const string Verb = "http-proxy";

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port"], ["--cache", Child.WithParent]);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{arguments.Number("--port", 0)}");
        await using WebApplication application = builder.Build();
        application.MapCoapProxy("/hc/{**target}", options =>
        {
            options.AllowAnonymous = true;
            options.MaxRequestsPerSource = options.MaxRequests = 10_000;
            options.Targets.AllowNetwork("127.0.0.0/8:*");
            options.Cache = arguments.Has("--cache") ? new CoapCache() : null;
            options.ConfigureClient = client =>
                client.Parameters = CoapTransmissionParameters.Default with { NStart = ProxyProgram.NStart };
        });
        await application.StartAsync();
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{application.Urls.Single()}");
        await ((IHost)application).WaitForShutdownAsync();
        return 0;
    }
}
