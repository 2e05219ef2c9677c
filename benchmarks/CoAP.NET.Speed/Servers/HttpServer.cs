using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Speed.Servers;

/// <summary>The same resource by HTTP: Kestrel with a minimal API and without logging.</summary>
internal static class HttpServer
{
    public const string Verb = "http";

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port", "--cert", "--key"], [Child.WithParent]);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        bool isSecure = arguments.Has("--cert");
        builder.WebHost.UseUrls($"{(isSecure ? "https" : "http")}://127.0.0.1:{arguments.Number("--port", 0)}");
        if (isSecure)
        {
            builder.WebHost.UseKestrelHttpsConfiguration();
            builder.WebHost.ConfigureKestrel(kestrel => kestrel.ConfigureHttpsDefaults(https => https.ServerCertificate =
                X509Certificate2.CreateFromPemFile(arguments.Text("--cert", ""), arguments.Text("--key", ""))));
        }

        await using WebApplication application = builder.Build();
        application.MapGet("/hello", () => TypedResults.Text("hello world!"u8));
        await application.StartAsync();
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{application.Urls.Single()}");
        await ((IHost)application).WaitForShutdownAsync();
        return 0;
    }
}
