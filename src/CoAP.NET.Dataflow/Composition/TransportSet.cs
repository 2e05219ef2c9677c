using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using CoAP.NET.Connecting;
using CoAP.NET.Groups;
using CoAP.NET.Resources;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Tcp;
using CoAP.NET.Transports.Udp;
using CoAP.NET.Transports.WebSockets;
using CoAP.NET.Uris;

namespace CoAP.NET.Composition;

/// <summary>
/// The transports of an endpoint: those that it listens on, those that are opened for requests when they are first needed, and those that
/// take connections which another party accepted. Starts them one after the other.
/// </summary>
internal sealed class TransportSet
{
    private readonly CoapSocketEngine _udpEngine;
    private readonly bool _sharesPort;
    private readonly string? _name;
    private readonly CoapSocketEngine _tcpEngine;
    private readonly CoapTlsOptions? _tls;
    private readonly CoapWebSocketOptions _webSockets;
    private readonly CoapEnvironment _environment;
    private readonly EndpointState _state;
    private readonly GroupResponseSettings _groups;
    private readonly RouteTable _routes;
    private readonly HostLookup _hosts;
    private readonly EndpointTransportContext _context;
    private readonly ShardTimerDriver[] _clocks;

    // Before the start these belong to who builds the endpoint, afterwards to who holds the lifecycle.
    private ICoapTransportFactory[] _factories;
    private readonly List<CoapTransport> _transports = [];
    private readonly HashSet<CoapTransport> _listening = [];

    // Addresses to listen on that are looked up, and opened, when the endpoint starts.
    private readonly List<CoapUri> _unresolved = [];
    private bool _expectsConnections;
    private bool _isStarted;
    private bool _isSecuritySettled;

    private readonly TaskCompletionSource _allStarted = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Replaced as a whole; read without a lock.
    private CoapTransport[] _started = [];

    /// <summary>Creates the set, with no transport in it.</summary>
    /// <param name="options">Engines, TLS and factories.</param>
    /// <param name="environment">Provides options of connections and the log.</param>
    /// <param name="state">The state of the endpoint, for example stopping.</param>
    /// <param name="groups">The groups that it joins.</param>
    /// <param name="routes">The routes.</param>
    /// <param name="hosts">Finds hosts.</param>
    /// <param name="context">The interface of the endpoint for transports.</param>
    /// <param name="clocks">The clocks that a transport may drive.</param>
    public TransportSet(
        CoapEndpointOptions options, CoapEnvironment environment, EndpointState state, GroupResponseSettings groups, RouteTable routes,
        HostLookup hosts, EndpointTransportContext context,
        ShardTimerDriver[] clocks)
    {
        _udpEngine = options.Transports.UdpEngine;
        _sharesPort = options.Processes.SharePort;
        _name = options.Name;
        _tcpEngine = options.Transports.TcpEngine;
        _tls = options.Tls;
        _factories = [.. options.Transports.Factories];
        Array.ForEach(_factories, static factory => UriSchemes.Register(factory.Scheme, factory.DefaultPort));
        _webSockets = options.Transports.WebSockets;
        _environment = environment;
        _state = state;
        _groups = groups;
        _routes = routes;
        _hosts = hosts;
        _context = context;
        _clocks = clocks;
    }

    /// <summary>Held by who starts transports, and by who stops the endpoint.</summary>
    public SemaphoreSlim Lifecycle { get; } = new(1, 1);

    /// <summary>Whether there is anything to receive on, or will be.</summary>
    public bool HasAny => _listening.Count > 0 || _unresolved.Count > 0 || _expectsConnections;

    /// <summary>The addresses that the next start opens.</summary>
    public IReadOnlyList<CoapUri> Unopened => _unresolved;

    /// <summary>Ends when a start has ended well; cancelled when the endpoint is closed before.</summary>
    public Task AllStarted => _allStarted.Task;

    public bool IsStarted => Volatile.Read(ref _started).Length > 0;

    /// <summary>The started transports that the endpoint listens with.</summary>
    public IEnumerable<CoapTransport> Listening => _started.Where(_listening.Contains);

    /// <summary>The addresses that the endpoint listens on, as URIs.</summary>
    public IReadOnlyList<CoapUri> LocalEndpoints =>
        [.. Listening
            .SelectMany(transport => transport.LocalAddresses.Select(address => CoapUri.FromAddress(transport.Scheme, address)))];

    /// <summary>Adds an address to listen on. See <see cref="CoapEndpoint.Listen"/>.</summary>
    /// <param name="uri">Scheme, host and port.</param>
    /// <param name="factory">Replaces the factory of its scheme; null to keep all.</param>
    public void Listen(string uri, ICoapTransportFactory? factory = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(uri);
        ICoapTransportFactory[] factories = factory is null
            ? _factories
            : [.. _factories.Where(other => other.Scheme != factory.Scheme), factory];
        CoapUri parsed = ListenUriParser.Parse(uri, factories, _tls, _environment.IsInBrowser);
        ThrowIfStarted();
        if (factory is not null)
        {
            UriSchemes.Register(factory.Scheme, factory.DefaultPort);
            _factories = factories;
        }

        _unresolved.Add(parsed);
    }

    /// <summary>Adds the loopback addresses: of <c>coap</c>, and of the secured schemes that the endpoint has credentials for.</summary>
    /// <remarks>
    /// With a secured address, routes are served there only (RFC 8323 section 9). Credentials alone would otherwise protect nothing.
    /// </remarks>
    public void ListenByDefault()
    {
        Listen($"coap://{LoopbackAddresses.Name}:5683");
        foreach (string scheme in (string[])["coaps", "coaps+tcp"])
        {
            try
            {
                Listen($"{scheme}://{LoopbackAddresses.Name}:5684");
            }
            catch (ArgumentException)
            {
                // No package for the scheme, or no credentials of a server.
            }
        }
    }

    /// <summary>The factory of transports for a scheme; null when there is none.</summary>
    public ICoapTransportFactory? FactoryOf(string scheme) => Array.Find(_factories, factory => factory.Scheme == scheme);

    public void Add(CoapTransport transport)
    {
        ArgumentNullException.ThrowIfNull(transport);
        ThrowIfStarted();
        UriSchemes.Register(transport.Scheme, transport.DefaultPort);
        _transports.Add(transport);
        if (transport.CanListen)
        {
            _listening.Add(transport);
        }
    }

    /// <summary>Connections will be handed over.</summary>
    public void ExpectConnections() => _expectsConnections = true;

    /// <summary>Joins groups when the endpoint starts. See <see cref="CoapEndpoint.JoinGroups"/>.</summary>
    public void JoinGroups(CoapGroupOptions options)
    {
        if (_isStarted)
        {
            throw new InvalidOperationException("Join groups before the endpoint is started.");
        }

        if (options.Addresses.Count == 0)
        {
            throw new ArgumentException("Name at least one group.", nameof(options));
        }

        foreach (IPAddress address in options.Addresses)
        {
            if (!CoapAddress.FromIPEndPoint(new IPEndPoint(address, 0)).IsMulticast)
            {
                throw new ArgumentException($"{address} is not a group address. Those are 224.0.0.0/4 and ff00::/8.", nameof(options));
            }
        }

        _groups.Options = options.MakeReadOnlyFor("an endpoint that has joined the groups");
    }

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        // Also before the lock, which a stop holds for the grace period.
        ThrowIfStopping();
        await Lifecycle.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfStopping();
            _isStarted = true;
            await StartAllAsync(cancellationToken).ConfigureAwait(false);
            _allStarted.TrySetResult();
        }
        finally
        {
            Lifecycle.Release();
        }
    }

    /// <summary>The transport for requests of a scheme that is started; null when there is none yet.</summary>
    public CoapTransport? StartedFor(string scheme)
    {
        foreach (CoapTransport transport in Volatile.Read(ref _started))
        {
            if (transport.Scheme == scheme && transport.CanRequest)
            {
                return transport;
            }
        }

        return null;
    }

    /// <summary>The transport for requests of a scheme; opened when there is none yet.</summary>
    /// <exception cref="CoapException">There is none for the scheme, it cannot be opened, or the endpoint was stopped.</exception>
    public ValueTask<CoapTransport> ForAsync(string scheme, CancellationToken cancellationToken) =>
        StartedFor(scheme) is { } transport ? ValueTask.FromResult(transport)
            : OpenAsync(scheme, static transport => transport.CanRequest, null, cancellationToken);

    /// <summary>The transport of a type and scheme that is started; null when there is none yet.</summary>
    public T? StartedAs<T>(string scheme)
        where T : CoapTransport
    {
        foreach (CoapTransport transport in Volatile.Read(ref _started))
        {
            if (transport is T found && transport.Scheme == scheme)
            {
                return found;
            }
        }

        return null;
    }

    /// <summary>Opens a transport for a scheme, after those that the endpoint listens on.</summary>
    /// <param name="scheme">The scheme.</param>
    /// <param name="fits">Whether a transport that is there already will do.</param>
    /// <param name="make">Makes another one; null for that of the scheme.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapException">There is none for the scheme, it cannot be opened, or the endpoint was stopped.</exception>
    public async ValueTask<CoapTransport> OpenAsync(string scheme, Func<CoapTransport, bool> fits, Func<CoapTransport>? make,
        CancellationToken cancellationToken)
    {
        ThrowIfRequestsAreOver();
        await Lifecycle.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfRequestsAreOver();

            // A server's request before its start opens what it listens on, so that the request leaves from there; without any, addresses
            // may still be added.
            _isStarted |= HasAny;
            await StartAllAsync(cancellationToken).ConfigureAwait(false);
            CoapTransport? found = _started.FirstOrDefault(transport => transport.Scheme == scheme && fits(transport));
            if (found is null)
            {
                if (make is null && _environment.IsInBrowser && MissingTransportMessage.InBrowserInsteadOf(scheme) is { } other)
                {
                    throw new CoapException(MissingTransportMessage.DescribeInBrowser(scheme, other));
                }

                found = make?.Invoke() ?? scheme switch
                {
                    "coap" when !OperatingSystem.IsBrowser() => new CoapUdpTransport(UdpOptions([], isServer: false)),
                    "coap+tcp" or "coaps+tcp" when !OperatingSystem.IsBrowser() => new CoapTcpTransport(TcpOptions([], scheme)),
                    "coap+ws" or "coaps+ws" => new CoapWebSocketTransport(new CoapWebSocketTransportOptions
                    {
                        UseTls = scheme == "coaps+ws",
                        Tls = _tls,
                        Streams = _environment.Streams,
                        WebSockets = _webSockets,
                        IsInBrowser = _environment.IsInBrowser,
                    }),
                    _ => FactoryOf(scheme)?.Create(UdpOptions([], isServer: false))
                        ?? throw new CoapException(MissingTransportMessage.Describe(scheme)),
                };
                await StartAsync(found, cancellationToken).ConfigureAwait(false);

                // Only now: when the start failed, the next request makes another one.
                _transports.Add(found);
            }

            return found;
        }
        finally
        {
            Lifecycle.Release();
        }
    }

    /// <summary>Closes all transports, also those whose start failed, and those that were never started. Under
    /// <see cref="Lifecycle"/>.</summary>
    /// <param name="report">Is told what fails; the rest is closed all the same.</param>
    public async Task CloseAsync(Action<Exception> report)
    {
        _allStarted.TrySetCanceled();
        foreach (CoapTransport transport in _transports)
        {
            try
            {
                await transport.DisposeAsync().ConfigureAwait(false);
            }
#pragma warning disable CA1031 // a transport of a user that fails to close must not keep the rest from closing
            catch (Exception exception)
#pragma warning restore CA1031
            {
                report(exception);
            }
        }
    }

    private async ValueTask StartAllAsync(CancellationToken cancellationToken)
    {
        await MakeListenersAsync(cancellationToken).ConfigureAwait(false);
        if (!_isSecuritySettled && _listening.Count > 0)
        {
            _isSecuritySettled = true;
            RouteSchemeSetup.Settle(_routes, _listening, _environment.Logger);
        }
        foreach (CoapTransport transport in _transports.Except(_started).ToArray())
        {
            await StartAsync(transport, cancellationToken).ConfigureAwait(false);
        }
    }

    private void ThrowIfStopping()
    {
        if (_state.IsStopping)
        {
            throw new InvalidOperationException("An endpoint starts once. Make a new one instead of starting a stopped one.");
        }
    }

    private void ThrowIfStarted()
    {
        if (_isStarted)
        {
            throw new InvalidOperationException("Add transports and addresses before the endpoint is started.");
        }
    }

    private void ThrowIfRequestsAreOver()
    {
        if (_state.IsStopping)
        {
            throw new CoapException(
                CoapError.EndpointStopped,
                "The endpoint was stopped; requests cannot be sent any more. Make a new one.");
        }
    }

    private async Task StartAsync(CoapTransport transport, CancellationToken cancellationToken)
    {
        // Each kind of transport gets its own view of the endpoint; there are no others.
        switch (transport)
        {
            case CoapDatagramTransport datagrams:
                await datagrams.StartAsync(_context, cancellationToken).ConfigureAwait(false);
                break;
            case CoapStreamTransport streams:
                await streams.StartAsync(_context, cancellationToken).ConfigureAwait(false);
                break;
            case CoapSessionTransport sessions:
                await sessions.StartAsync(_context, cancellationToken).ConfigureAwait(false);
                break;
        }

        Volatile.Write(ref _started, [.. _started, transport]);
        if (transport.DrivesClock)
        {
            foreach (ShardTimerDriver clock in _clocks)
            {
                clock.DriveBy(transport);
            }
        }

        if (_listening.Contains(transport))
        {
            _routes.AddListening(transport);
            foreach (CoapAddress address in transport.LocalAddresses)
            {
                string uri = $"{transport.Scheme}://{address}";
                if (_name is { } name)
                {
                    EndpointLog.NamedListening(_environment.Logger, name, uri);
                }
                else
                {
                    EndpointLog.Listening(_environment.Logger, uri);
                }
            }
        }
    }

    private CoapUdpTransportOptions UdpOptions(IEnumerable<IPEndPoint> addresses, bool isServer, bool joinsGroups = false)
    {
        CoapUdpTransportOptions options = new() { Engine = _udpEngine, IsServer = isServer, SharePort = _sharesPort };
        if (joinsGroups && _groups.Options is { } groups)
        {
            options.SharePort |= groups.SharePort;
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

    private CoapTcpTransportOptions TcpOptions(IEnumerable<IPEndPoint> addresses, string scheme)
    {
        bool useTls = scheme == "coaps+tcp";
        CoapTcpTransportOptions options = new()
        {
            Engine = _tcpEngine,
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

    // Names are looked up. An address whose name failed is left for the next start.
    private async ValueTask MakeListenersAsync(CancellationToken cancellationToken)
    {
        if (OperatingSystem.IsBrowser())
        {
            // There is none, and the trimmer leaves out what follows.
            return;
        }

        while (_unresolved.Count > 0)
        {
            string scheme = _unresolved[0].Scheme;
            ICoapTransportFactory? factory = FactoryOf(scheme);

            // Sessions belong to all addresses of a server: their bounds, their backup and what moves them are there once.
            CoapUri[] uris = factory is null ? [_unresolved[0]] : [.. _unresolved.Where(uri => uri.Scheme == scheme)];
            List<IPEndPoint> addresses = [];
            foreach (CoapUri uri in uris)
            {
                addresses.AddRange((await AddressesOfAsync(uri, cancellationToken).ConfigureAwait(false))
                    .Select(address => new IPEndPoint(address, uri.Port)));
            }

            CoapTransport transport = scheme == "coap" ? new CoapUdpTransport(UdpOptions(addresses, isServer: true, joinsGroups: true))
                : factory?.Create(UdpOptions(addresses, isServer: true)) ?? new CoapTcpTransport(TcpOptions(addresses, scheme));
            _transports.Add(transport);
            _listening.Add(transport);
            _unresolved.RemoveAll(uri => Array.Exists(uris, one => ReferenceEquals(one, uri)));
        }
    }

    [UnsupportedOSPlatform("browser")]
    private async ValueTask<IPAddress[]> AddressesOfAsync(CoapUri uri, CancellationToken cancellationToken)
    {
        if (uri.Host == LoopbackAddresses.Name)
        {
            return LoopbackAddresses.Find();
        }

        IPAddress[] addresses;
        try
        {
            addresses = await _hosts.FindAsync(uri, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            throw new CoapException($"Cannot listen on '{uri}': {exception.Message} Listen on an address of this machine, or on * for all.",
                exception);
        }

        // A name may have addresses of a version that this machine does not speak. None at all must not become all of them.
        IPAddress[] spoken = [.. addresses.Distinct()
            .Where(address => uri.HostAddress is not null || Socket.OSSupportsIPv6 || address.AddressFamily == AddressFamily.InterNetwork)];
        return spoken.Length > 0
            ? spoken
            : throw new CoapException($"Cannot listen on '{uri}': the name has no address of an IP version that this machine supports.");
    }
}
