using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.AspNetCore;

/// <summary>
/// The server for connections of a web server: a given one, or that of the container. Its first connection starts it, unless it is already
/// started.
/// </summary>
internal sealed class ConnectionServerResolver
{
    private CoapServer? _server;
    private CoapEndpoint? _endpoint;
    private volatile bool _isStarted;

    public ConnectionServerResolver(CoapServer server, IServiceProvider services)
    {
        _server = server;
        _endpoint = Expecting(server.Endpoint, services);
    }

    public ConnectionServerResolver(CoapEndpoint endpoint, IServiceProvider services) => _endpoint = Expecting(endpoint, services);

    /// <summary>Uses the server of the container.</summary>
    public ConnectionServerResolver(IServiceProvider? services)
    {
        if (services?.GetService<CoapServer>() is { } server)
        {
            _server = server;
            _endpoint = Expecting(server.Endpoint, services);
        }
    }

    /// <summary>Whether there is an endpoint, even a stopped one.</summary>
    public bool IsKnown => _endpoint is not null;

    /// <summary>Returns the started endpoint.</summary>
    /// <exception cref="InvalidOperationException">There is none, or it was stopped.</exception>
    public async ValueTask<CoapEndpoint> GetAsync(IServiceProvider? services)
    {
        if (_endpoint is null)
        {
            CoapServer server = services?.GetService<CoapServer>()
                ?? throw new InvalidOperationException(
                    "There is no CoapServer in the container. Call services.AddCoapServer, or pass the server or endpoint.");
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

    // A server of the host listens according to its options. Any other mapped server only gets the connections of the web server, unless it
    // is configured to listen.
    private static CoapEndpoint Expecting(CoapEndpoint endpoint, IServiceProvider? services) =>
        HostedServerLookup.Have(services, endpoint) ? endpoint : endpoint.ExpectConnections();
}
