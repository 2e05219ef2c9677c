using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Browser.Tests;

/// <summary>The program of the folder Checks, published once as it is for users, and the server that serves it and answers it.</summary>
public sealed class PageOfChecks : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-browser-").FullName;
    private readonly CoapServer _coap = new();
    private readonly X509Certificate2 _certificate = MakeCertificate();
    private WebApplication? _web;

    /// <summary>The address of the server.</summary>
    public Uri Plain => Address(Uri.UriSchemeHttp);

    /// <summary>Its address for HTTPS, with a certificate that no browser trusts.</summary>
    public Uri Secure => Address(Uri.UriSchemeHttps);

    public async ValueTask InitializeAsync()
    {
        // What it refers to was built before, and others use it now.
        await Tool.RunAsync(Path.Combine(Repository.Root, "tests", "CoAP.NET.Browser.Tests", "Checks"), "dotnet",
            ["publish", "-c", "Release", "-p:BuildProjectReferences=false", "-o", _folder, "-v:quiet", "-nologo"]);
        Map();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0);
            kestrel.Listen(IPAddress.Loopback, 0, listener => listener.UseHttps(_certificate));
        });
        _web = builder.Build();
        _web.MapCoapWebSocket(_coap);
        PhysicalFileProvider files = new(Path.Combine(_folder, "wwwroot"));
        _web.UseDefaultFiles(new DefaultFilesOptions { FileProvider = files });
        _web.UseStaticFiles(new StaticFileOptions { FileProvider = files, ServeUnknownFileTypes = true });
        await _web.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (_web is not null)
        {
            await _web.DisposeAsync();
        }

        await _coap.DisposeAsync();
        _certificate.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private static X509Certificate2 MakeCertificate()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        SubjectAlternativeNameBuilder names = new();
        names.AddIpAddress(IPAddress.Loopback);
        CertificateRequest request = new("CN=page", key, HashAlgorithmName.SHA256) { CertificateExtensions = { names.Build() } };
        DateTimeOffset begin = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);
        return request.CreateSelfSigned(begin, begin.AddYears(50));
    }

    private Uri Address(string scheme) => _web!.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses
        .Select(static address => new Uri(address)).First(address => address.Scheme == scheme);

    private void Map()
    {
        int count = 0;
        _coap.MapGet("/hello", static () => CoapResults.Text("hello"));
        _coap.MapGet("/uri", static request => CoapResults.Text(request.GetUri().ToString()));
        _coap.MapPost("/echo", static request => CoapResults.Bytes(request.Payload)).WithMaxBodySize(8 << 20);
        _coap.MapGet("/never", static async (_, cancellationToken) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Text("never");
        });
        CoapRouteHandlerBuilder counted = _coap.MapGet(
            "/count", () => CoapResults.Text(Volatile.Read(ref count).ToString(CultureInfo.InvariantCulture))).Observable();
        _coap.MapPost("/count", _ =>
        {
            Interlocked.Increment(ref count);
            counted.Notify();
            return CoapResults.Changed();
        });
        _coap.MapGet("/observers", _ => CoapResults.Text(counted.ObserverCount.ToString(CultureInfo.InvariantCulture)));
        _coap.MapPost("/release", request =>
        {
            _ = request.Peer.ReleaseAsync();
            Interlocked.Increment(ref count);
            counted.Notify();
            return CoapResults.Changed();
        });
        _coap.MapGet("/back", static async (request, cancellationToken) =>
        {
            List<string> said = [];
            foreach (string path in (string[])["/title", "/slow", "/queued"])
            {
                said.Add((await request.Peer.GetAsync(path, cancellationToken)).GetText());
            }

            return CoapResults.Text(string.Join(", ", said));
        });
    }
}
