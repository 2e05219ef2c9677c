using System.Net;
using System.Net.Sockets;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Which transports an endpoint has: those it listens on, and those that are opened for requests when they are first needed.
public sealed partial class CoapEndpoint
{
    private readonly HashSet<CoapTransport> _listening = [];

    /// <summary>Adds an address to listen on. The port is the scheme's when it is left out; 0 lets the operating system choose.</summary>
    /// <param name="uri">Scheme, host and port, such as <c>coap://[::]:5683</c> (IPv6 and IPv4), <c>coap://0.0.0.0</c> (IPv4), <c>coap://*:5683</c> (all), <c>coap://localhost</c> (every address of the name).</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="ArgumentException">The URI has a scheme that this endpoint cannot serve, or a path, or a name without address.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint Listen(string uri)
    {
        ArgumentException.ThrowIfNullOrEmpty(uri);
        return AddTransport(new CoapUdpTransport(UdpOptions(ParseListen(uri), isServer: true)));
    }

    /// <summary>Adds a transport to receive and send with, such as one of your own.</summary>
    /// <param name="transport">The transport; the endpoint starts and disposes it.</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint AddTransport(CoapTransport transport)
    {
        ArgumentNullException.ThrowIfNull(transport);
        if (_isStarted)
        {
            throw new InvalidOperationException("Add transports before the endpoint is started.");
        }

        _transports.Add(transport);
        _listening.Add(transport);
        return this;
    }

    private async ValueTask<CoapTransport> TransportForAsync(string scheme, CancellationToken cancellationToken)
    {
        foreach (CoapTransport transport in Volatile.Read(ref _started))
        {
            if (transport.Scheme == scheme)
            {
                return transport;
            }
        }

        ThrowIfRequestsAreOver();
        await _lifecycle.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfRequestsAreOver();

            // A server's request before its start opens what it listens on, so that the request leaves from there; without any, addresses may still be added.
            _isStarted |= _listening.Count > 0;
            foreach (CoapTransport transport in _transports.Except(_started).ToArray())
            {
                await StartTransportAsync(transport, cancellationToken).ConfigureAwait(false);
            }

            CoapTransport? found = _started.FirstOrDefault(transport => transport.Scheme == scheme);
            if (found is null)
            {
                if (scheme != "coap")
                {
                    throw new CoapException($"This endpoint has no transport for {scheme}. Add one before it is started.");
                }

                found = new CoapUdpTransport(UdpOptions([], isServer: false));
                await StartTransportAsync(found, cancellationToken).ConfigureAwait(false);

                // Only now: when the start failed, the next request makes another one.
                _transports.Add(found);
            }

            return found;
        }
        finally
        {
            _lifecycle.Release();
        }
    }

    private void ThrowIfRequestsAreOver()
    {
        if (_state.IsStopping)
        {
            throw new CoapException("The endpoint was stopped; requests cannot be sent any more. Make a new one.");
        }
    }

    private async Task StartTransportAsync(CoapTransport transport, CancellationToken cancellationToken)
    {
        await transport.StartAsync(_context, cancellationToken).ConfigureAwait(false);
        Volatile.Write(ref _started, [.. _started, transport]);
        if (transport.DrivesClock)
        {
            foreach (Pipeline.ShardClock clock in _clocks)
            {
                clock.DriveBy(transport.Wake);
            }
        }

        if (_listening.Contains(transport))
        {
            foreach (CoapAddress address in transport.LocalAddresses)
            {
                Log.Listening(_environment.Logger, $"{transport.Scheme}://{address}");
            }
        }
    }

    private CoapUdpTransportOptions UdpOptions(IReadOnlyList<IPEndPoint> addresses, bool isServer)
    {
        CoapUdpTransportOptions options = new() { Engine = _udpEngine, IsServer = isServer };
        foreach (IPEndPoint address in addresses)
        {
            options.Endpoints.Add(address);
        }

        return options;
    }

    private static IReadOnlyList<IPEndPoint> ParseListen(string text)
    {
        // The asterisk is no host of a URI; it is what people write for all addresses.
        string normal = text.Replace("://*", "://[::]", StringComparison.Ordinal);
        if (!CoapUri.TryParse(normal, out CoapUri? uri, out string? error))
        {
            throw new ArgumentException(error);
        }

        if (uri.Scheme != "coap")
        {
            throw new ArgumentException($"'{text}': an endpoint listens on coap; {uri.Scheme} needs a transport added by AddTransport.");
        }

        if (uri.PathSegments.Count > 0 || uri.QueryArguments.Count > 0)
        {
            throw new ArgumentException($"'{text}': an address to listen on has no path and no query.");
        }

        IPAddress[] addresses = uri.HostAddress is { } literal ? [literal] : AddressesOf(uri.Host, text);
        return [.. addresses.Select(address => new IPEndPoint(address, uri.Port))];
    }

    private static IPAddress[] AddressesOf(string host, string text)
    {
        IPAddress[] addresses;
        try
        {
            addresses = Dns.GetHostAddresses(host);
        }
        catch (SocketException exception)
        {
            throw new ArgumentException($"'{text}': the name could not be resolved: {exception.Message}. Listen on an address of this machine, or on * for all.", exception);
        }

        // A name may have addresses of a version that this machine does not speak. None at all must not become all of them.
        addresses = [.. addresses.Where(address => Socket.OSSupportsIPv6 || address.AddressFamily == AddressFamily.InterNetwork)];
        return addresses.Length > 0 ? addresses : throw new ArgumentException($"'{text}': the name has no address that this machine speaks.");
    }
}
