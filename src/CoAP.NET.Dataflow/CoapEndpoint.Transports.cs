using System.Net;
using System.Net.Sockets;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Which transports an endpoint has: those it listens on, and those that are opened for requests when they are first needed.
public sealed partial class CoapEndpoint
{
    private readonly CoapTcpEngine _tcpEngine;
    private readonly CoapTlsOptions? _tls;
    private readonly ICoapTransportFactory[] _factories;
    private readonly HashSet<CoapTransport> _listening = [];

    // Addresses to listen on that are looked up, and opened, when the endpoint starts.
    private readonly List<CoapUri> _unresolved = [];

    /// <summary>
    /// Adds an address to listen on. The port is the scheme's when it is left out; 0 lets the operating system choose. A name is looked up when the endpoint
    /// starts, by <see cref="CoapEndpointOptions.ResolveHost"/>.
    /// </summary>
    /// <param name="uri">
    /// Scheme, host and port, such as <c>coap://[::]:5683</c> (IPv6 and IPv4), <c>coap://0.0.0.0</c> (IPv4), <c>coap://*:5683</c> (all), <c>coap://localhost</c> (every address of the name),
    /// <c>coap+tcp://[::]:5683</c> (TCP), <c>coaps+tcp://[::]:5684</c> (TLS, with a certificate in <see cref="CoapEndpointOptions.Tls"/>), or of a scheme of <see cref="CoapEndpointOptions.TransportFactories"/>.
    /// </param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="ArgumentException">The URI has a scheme that this endpoint cannot serve, or a path, or the address of a group; or its scheme needs a certificate and there is none.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint Listen(string uri)
    {
        ArgumentException.ThrowIfNullOrEmpty(uri);
        CoapUri parsed = ParseListen(uri);
        ThrowIfStarted();
        _unresolved.Add(parsed);
        return this;
    }

    /// <summary>Adds a transport to receive and send with, such as one of your own.</summary>
    /// <param name="transport">The transport; the endpoint starts and disposes it.</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint AddTransport(CoapTransport transport)
    {
        ArgumentNullException.ThrowIfNull(transport);
        ThrowIfStarted();
        _transports.Add(transport);
        _listening.Add(transport);
        return this;
    }

    private void ThrowIfStarted()
    {
        if (_isStarted)
        {
            throw new InvalidOperationException("Add transports and addresses before the endpoint is started.");
        }
    }

    private ValueTask<CoapTransport> TransportForAsync(string scheme, CancellationToken cancellationToken) =>
        StartedFor(scheme) is { } transport ? ValueTask.FromResult(transport) : OpenTransportAsync(scheme, CanRequest, null, cancellationToken);

    private ICoapTransportFactory? FactoryOf(string scheme) => Array.Find(_factories, factory => factory.Scheme == scheme);

    private CoapTransport? StartedFor(string scheme)
    {
        foreach (CoapTransport transport in Volatile.Read(ref _started))
        {
            if (transport.Scheme == scheme && CanRequest(transport))
            {
                return transport;
            }
        }

        return null;
    }

    // One that only takes what others accepted opens nothing.
    private static bool CanRequest(CoapTransport transport) => transport is not CoapConnectionTransport { CanConnect: false };

    private async ValueTask<CoapTransport> OpenTransportAsync(string scheme, Func<CoapTransport, bool> fits, Func<CoapTransport>? make, CancellationToken cancellationToken)
    {
        ThrowIfRequestsAreOver();
        await _lifecycle.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfRequestsAreOver();

            // A server's request before its start opens what it listens on, so that the request leaves from there; without any, addresses may still be added.
            _isStarted |= HasTransports;
            await MakeListenersAsync(cancellationToken).ConfigureAwait(false);
            SettleSecurity();
            foreach (CoapTransport transport in _transports.Except(_started).ToArray())
            {
                await StartTransportAsync(transport, cancellationToken).ConfigureAwait(false);
            }

            CoapTransport? found = _started.FirstOrDefault(transport => transport.Scheme == scheme && fits(transport));
            if (found is null)
            {
                found = make?.Invoke() ?? scheme switch
                {
                    "coap" => new CoapUdpTransport(UdpOptions([], isServer: false)),
                    "coap+tcp" or "coaps+tcp" => new CoapTcpTransport(TcpOptions([], scheme)),
                    "coap+ws" or "coaps+ws" => new CoapWebSocketTransport(new CoapWebSocketTransportOptions
                    {
                        UseTls = scheme == "coaps+ws",
                        Tls = _tls,
                        Streams = _environment.Streams,
                        WebSockets = _webSockets,
                    }),
                    _ => FactoryOf(scheme)?.Create(UdpOptions([], isServer: false)) ?? throw new CoapException(scheme == "coaps"
                        ? "This endpoint has no transport for coaps. Reference the package CoAP.NET.Dtls and call UseDtls on the options of the endpoint."
                        : $"This endpoint has no transport for {scheme}. Add one before it is started."),
                };
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
            foreach (Shard.ShardClock clock in _clocks)
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
        if (isServer && _groups.Options is { } groups)
        {
            options.SharePort = groups.SharePort;
            foreach (IPAddress group in groups.Addresses)
            {
                options.MulticastGroups.Add(group);
            }

            foreach (string name in groups.Interfaces)
            {
                options.MulticastInterfaces.Add(name);
            }
        }

        foreach (IPEndPoint address in addresses)
        {
            options.Endpoints.Add(address);
        }

        return options;
    }

    private CoapTcpTransportOptions TcpOptions(IReadOnlyList<IPEndPoint> addresses, string scheme)
    {
        bool useTls = scheme == "coaps+tcp";
        CoapTcpTransportOptions options = new()
        {
            // The one of the two that has no TLS is asked for where it can be.
            Engine = useTls && _tcpEngine == CoapTcpEngine.Inline ? CoapTcpEngine.Auto : _tcpEngine,
            UseTls = useTls,
            Tls = _tls,
            Streams = _environment.Streams,
        };
        foreach (IPEndPoint address in addresses)
        {
            options.Endpoints.Add(address);
        }

        return options;
    }

    /// <summary>Makes the transports of the addresses to listen on; names are looked up. One that failed is left for the next start.</summary>
    private async ValueTask MakeListenersAsync(CancellationToken cancellationToken)
    {
        while (_unresolved.Count > 0)
        {
            CoapUri uri = _unresolved[0];
            IPEndPoint[] addresses = [.. (await AddressesOfAsync(uri, cancellationToken).ConfigureAwait(false)).Select(address => new IPEndPoint(address, uri.Port))];
            CoapTransport transport = uri.Scheme == "coap" ? new CoapUdpTransport(UdpOptions(addresses, isServer: true))
                : FactoryOf(uri.Scheme)?.Create(UdpOptions(addresses, isServer: false)) ?? new CoapTcpTransport(TcpOptions(addresses, uri.Scheme));
            _transports.Add(transport);
            _listening.Add(transport);
            _unresolved.RemoveAt(0);
        }
    }

    private async ValueTask<IPAddress[]> AddressesOfAsync(CoapUri uri, CancellationToken cancellationToken)
    {
        IPAddress[] addresses;
        try
        {
            addresses = await _hosts.FindAsync(uri, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            throw new CoapException($"Cannot listen on '{uri}': {exception.Message} Listen on an address of this machine, or on * for all.", exception);
        }

        // A name may have addresses of a version that this machine does not speak. None at all must not become all of them.
        IPAddress[] spoken = [.. addresses.Distinct().Where(address => uri.HostAddress is not null || Socket.OSSupportsIPv6 || address.AddressFamily == AddressFamily.InterNetwork)];
        return spoken.Length > 0 ? spoken : throw new CoapException($"Cannot listen on '{uri}': the name has no address that this machine speaks.");
    }

    private CoapUri ParseListen(string text)
    {
        // The asterisk is no host of a URI; it is what people write for all addresses.
        string normal = text.Replace("://*", "://[::]", StringComparison.Ordinal);
        if (!CoapUri.TryParse(normal, out CoapUri? uri, out string? error))
        {
            throw new ArgumentException(error);
        }

        if (FactoryOf(uri.Scheme) is { } factory)
        {
            factory.ThrowIfCannotListen();
        }
        else if (uri.Scheme is not ("coap" or "coap+tcp" or "coaps+tcp"))
        {
            throw new ArgumentException(uri.Scheme is "coap+ws" or "coaps+ws"
                ? $"'{text}': a web server accepts WebSockets, and hands them over: see MapCoapWebSocket of CoAP.NET.AspNetCore, or AcceptWebSocketAsync."
                : $"'{text}': an endpoint listens on coap, coap+tcp and coaps+tcp; {(uri.Scheme == "coaps" ? "for coaps reference the package CoAP.NET.Dtls and call UseDtls on the options" : $"{uri.Scheme} needs a transport added by AddTransport")}.");
        }

        if (uri.Scheme == "coaps+tcp" && _tls is not ({ Server: not null } or { SelectServer: not null }))
        {
            throw new ArgumentException($"'{text}': a TLS server needs a certificate. Set CoapEndpointOptions.Tls with Server (or SelectServer) before the endpoint is made.");
        }

        if (uri.PathSegments.Count > 0 || uri.QueryArguments.Count > 0)
        {
            throw new ArgumentException($"'{text}': an address to listen on has no path and no query.");
        }

        return uri.HostAddress is { } address && CoapAddress.FromIPEndPoint(new IPEndPoint(address, uri.Port)).IsMulticast
            ? throw new ArgumentException(uri.Scheme == "coap"
                ? $"'{text}': a group is not listened on but joined: listen on coap://[::] and call JoinGroups."
                : $"'{text}': there are no groups on {uri.Scheme} (RFC 8323 section 8). Listen on an address of this machine, or on * for all.")
            : uri;
    }
}
