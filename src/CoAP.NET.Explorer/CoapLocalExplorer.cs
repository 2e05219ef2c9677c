using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Explorer;

/// <summary>
/// A local explorer for the user who starts it: a web server on the loopback address, whose calls need the token in <see cref="Address"/>.
/// </summary>
/// <remarks>Dispose it to stop it.</remarks>
internal sealed class CoapLocalExplorer : IAsyncDisposable
{
    private const int TokenSize = 24;

    private readonly WebApplication _web;

    private CoapLocalExplorer(WebApplication web, Uri address)
    {
        _web = web;
        Address = address;
    }

    /// <summary>The address to open in a browser, such as <c>http://127.0.0.1:40123/#token=...</c>.</summary>
    /// <remarks>
    /// Every process that knows the address may use the explorer. The token is in the fragment, which browsers never send.
    /// </remarks>
    public Uri Address { get; }

    /// <summary>Starts an explorer. All targets, discovery and secrets of the user are allowed because only this user reaches it.</summary>
    /// <param name="configure">Changes these options, and adds profiles; null for nothing.</param>
    /// <param name="port">The TCP port on 127.0.0.1; 0 for a free one.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>The running explorer.</returns>
    /// <exception cref="IOException">The port is in use.</exception>
    public static async Task<CoapLocalExplorer> StartAsync(
        Action<CoapExplorerOptions>? configure = null, int port = 0, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(port);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(port, IPEndPoint.MaxPort);
        Span<byte> random = stackalloc byte[TokenSize];
        CoapRandomSource.Secure.Fill(random);
        string token = Convert.ToHexStringLower(random);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseSetting(WebHostDefaults.ServerUrlsKey, "");
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Listen(IPAddress.Loopback, port);
        });
        WebApplication web = builder.Build();
        try
        {
            web.MapCoapExplorer("/", options =>
            {
                options.AllowAnyTarget = options.AllowDiscovery = options.AllowSecretsOfUsers = options.AllowAnonymous = true;
                configure?.Invoke(options);
                options.Token = token;
            });
            await web.StartAsync(cancellationToken).ConfigureAwait(false);
            string bound = web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
            return new CoapLocalExplorer(
                web, new Uri(string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{new Uri(bound).Port}/#token={token}")));
        }
        catch
        {
            await web.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Stops the explorer: its observations end, and its connections close.</summary>
    /// <returns>A task that completes when it has stopped.</returns>
    public async ValueTask DisposeAsync()
    {
        await _web.StopAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);
        await _web.DisposeAsync().ConfigureAwait(false);
    }
}
