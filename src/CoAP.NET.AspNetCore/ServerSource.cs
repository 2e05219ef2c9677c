using CoAP.NET.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.AspNetCore;

/// <summary>
/// The server whose connections a web server accepts: one that was given, or the one of the container. It is started with its first
/// connection, if nobody did.
/// </summary>
internal sealed class ServerSource
{
    private CoapServer? _server;
    private CoapEndpoint? _endpoint;
    private volatile bool _isStarted;

    /// <summary>A server that is at hand.</summary>
    public ServerSource(CoapServer server, IServiceProvider services)
    {
        _server = server;
        _endpoint = Expecting(server.Endpoint, services);
    }

    /// <summary>An endpoint that is at hand.</summary>
    public ServerSource(CoapEndpoint endpoint, IServiceProvider services) => _endpoint = Expecting(endpoint, services);

    /// <summary>The server of the container.</summary>
    public ServerSource(IServiceProvider? services)
    {
        if (services?.GetService<CoapServer>() is { } server)
        {
            _server = server;
            _endpoint = Expecting(server.Endpoint, services);
        }
    }

    /// <summary>Whether there is an endpoint, be it stopped.</summary>
    public bool IsKnown => _endpoint is not null;

    /// <summary>The endpoint, started.</summary>
    /// <param name="services">The container.</param>
    /// <exception cref="InvalidOperationException">There is none, or it was stopped.</exception>
    public async ValueTask<CoapEndpoint> GetAsync(IServiceProvider? services)
    {
        if (_endpoint is null)
        {
            CoapServer server = services?.GetService<CoapServer>()
                ?? throw new InvalidOperationException(
                    "There is no CoapServer in the container: call services.AddCoapServer, or give the server, or endpoint, that is meant.");
            _server = server;
            _endpoint = Expecting(server.Endpoint, services);
        }

        if (!_isStarted)
        {
            await (_server?.StartAsync() ?? _endpoint.StartAsync()).ConfigureAwait(false);
            _isStarted = true;
        }

        return _endpoint;
    }

    // A server of the host listens where its options say; any other one that is mapped is asked by the web server's connections only,
    // unless it is told to listen.
    private static CoapEndpoint Expecting(CoapEndpoint endpoint, IServiceProvider? services) =>
        CoapHostedServers.Have(services, endpoint) ? endpoint : endpoint.ExpectConnections();
}
