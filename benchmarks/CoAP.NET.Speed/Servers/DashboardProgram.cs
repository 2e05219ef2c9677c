using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Speed.Servers;

/// <summary>A hosted server with the dashboard beside it: <c>dashboard</c>.</summary>
internal static class DashboardProgram
{
    public const string Verb = "dashboard";

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port"], [Child.WithParent]);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        await using WebApplication application = builder.Build();
        CoapServer server = application.Services.GetRequiredService<CoapServer>();
        server.MapGet("/hello", () => CoapResults.Text("hello world!"));
        application.MapCoapDashboard("/live", options => options.AllowAnonymous = true);
        await application.StartAsync();
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{server.LocalEndpoints[0]}");
        Console.WriteLine($"{Child.Listening}{application.Urls.Single()}");
        await ((IHost)application).WaitForShutdownAsync();
        return 0;
    }
}
