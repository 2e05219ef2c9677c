using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using CoAP.NET.Hosting;
using CoAP.NET.Transports;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Testing;

/// <summary>
/// Runs a hosted application as it is, from its <c>Main</c> on, but on a network in memory: its CoAP servers and clients open no socket,
/// and its services can be replaced. Derive from it to change more for all tests of a class. The application starts with the first use of
/// <see cref="Services"/> or <see cref="StartAsync"/>, and is stopped as by SIGTERM when this is disposed. The schemes <c>coap</c>,
/// <c>coaps</c>, <c>coap+tcp</c> and <c>coaps+tcp</c> are served as configured; on the secured ones clients have the identity that the test
/// gives them (<see cref="CreateClient"/>), and keys and certificates of the configuration are not read.
/// </summary>
/// <typeparam name="TEntryPoint">A type of the application's assembly, usually its <c>Program</c>.</typeparam>
public class CoapApplicationFactory<TEntryPoint> : IAsyncDisposable
    where TEntryPoint : class
{
    private static readonly string[] s_schemes = ["coap", "coaps", "coap+tcp", "coaps+tcp"];

    private readonly Lock _gate = new();
    private readonly List<CoapClient> _clients = [];
    private readonly List<Action<IServiceCollection>> _changes = [];
    private InMemoryNetwork? _network;
    private EntryPoint? _entryPoint;
    private Task<IHost>? _started;

    /// <summary>
    /// The host of the application in <see cref="Network"/>: its servers have this IP address, and the ports that they are configured with.
    /// The name <c>localhost</c> leads to it.
    /// </summary>
    public const string HostAddress = "2001:db8::1";

    /// <summary>
    /// The clock of the application and of the network. Default: that of the system. With a <see cref="VirtualClock"/> the test lets time
    /// pass. Set it before the application starts.
    /// </summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>
    /// Arguments for <c>Main</c>. Default none. The content root is the folder of the tests, so that the application's
    /// <c>appsettings.json</c> is read, which is copied there.
    /// </summary>
    public IReadOnlyList<string> Arguments { get; init; } = [];

    /// <summary>The environment of the host. Default <c>Development</c>.</summary>
    public string Environment { get; init; } = Environments.Development;

    /// <summary>How the network works. Set it before the application starts; null for a network without faults.</summary>
    public InMemoryNetworkOptions? NetworkOptions { get; init; }

    /// <summary>The network that the application is on. Further peers can be made in it.</summary>
    public InMemoryNetwork Network =>
        LazyInitializer.EnsureInitialized(ref _network, () => new InMemoryNetwork(TimeProvider, NetworkOptions));

    /// <summary>The services of the running application. Starts it and waits for that.</summary>
    /// <exception cref="InvalidOperationException">The application did not start; the inner exception says why.</exception>
    public IServiceProvider Services => StartAsync().GetAwaiter().GetResult();

    /// <summary>The address of the application's server, as the beginning of URIs. Starts the application.</summary>
    /// <exception cref="InvalidOperationException">The application has no server, or did not start.</exception>
    public string Address => Services.GetService<CoapServer>()?.LocalEndpoints is [string first, ..]
        ? first
        : throw new InvalidOperationException(
            "The application has no CoAP server without a name. Call AddCoapServer() in it, or take the server by its name from Services "
                + "and read its LocalEndpoints.");

    /// <summary>The address of the application's server for a scheme, as the beginning of URIs. Starts the application.</summary>
    /// <param name="scheme">The scheme, such as <c>coaps</c>.</param>
    /// <returns>The first address of that scheme.</returns>
    /// <exception cref="InvalidOperationException">The server does not listen on the scheme, or the application has none, or did not
    /// start.</exception>
    public string AddressOf(string scheme)
    {
        ArgumentException.ThrowIfNullOrEmpty(scheme);
        _ = Address;
        IReadOnlyList<string> endpoints = Services.GetRequiredService<CoapServer>().LocalEndpoints;
        return endpoints.FirstOrDefault(endpoint => endpoint.StartsWith($"{scheme}://", StringComparison.Ordinal))
            ?? throw new InvalidOperationException(
                $"The application does not listen on {scheme}, but on {string.Join(", ", endpoints)}. Add {scheme}:// to its Endpoints.");
    }

    /// <summary>
    /// Replaces services of the application, such as a store by one of the test. Runs after the application has added its own.
    /// </summary>
    /// <param name="change">Changes the services.</param>
    /// <returns>This object.</returns>
    /// <exception cref="InvalidOperationException">The application has been started.</exception>
    public CoapApplicationFactory<TEntryPoint> WithServices(Action<IServiceCollection> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        lock (_gate)
        {
            if (_started is not null)
            {
                throw new InvalidOperationException(
                    "The application was started, so its services cannot be changed any more. Call WithServices before Services, Address, "
                        + "CreateClient and StartAsync.");
            }

            _changes.Add(change);
        }

        return this;
    }

    /// <summary>Starts the application, if nobody did.</summary>
    /// <param name="cancellationToken">Stops waiting; the application goes on starting.</param>
    /// <returns>Its services, when it has started.</returns>
    /// <exception cref="InvalidOperationException">The application ended before it had started; the inner exception says why.</exception>
    public async Task<IServiceProvider> StartAsync(CancellationToken cancellationToken = default)
    {
        Task<IHost> started;
        lock (_gate)
        {
            if (_started is null)
            {
                string[] arguments = ["--contentRoot", AppContext.BaseDirectory, "--environment", Environment, .. Arguments];
                _entryPoint = new EntryPoint(typeof(TEntryPoint).Assembly, arguments,
                    builder => builder.ConfigureServices((_, services) => Change(services)));
                _started = _entryPoint.StartAsync();
            }

            started = _started;
        }

        return (await started.WaitAsync(cancellationToken).ConfigureAwait(false)).Services;
    }

    /// <summary>Makes a client on the same network, with an address of its own. Closed with the application.</summary>
    /// <param name="options">How it works; null for the defaults. Its clock is set to that of the network.</param>
    /// <param name="identity">Who it is for servers that it asks by <c>coaps</c> or <c>coaps+tcp</c>; null for nobody.</param>
    /// <returns>The client; <see cref="Address"/> and <see cref="AddressOf"/> are what to ask.</returns>
    public CoapClient CreateClient(CoapEndpointOptions? options = null, CoapTestIdentity? identity = null)
    {
        options ??= new CoapEndpointOptions();
        options.TimeProvider = TimeProvider;
        options.ResolveHost = ResolveAsync;
        if (TimeProvider is VirtualClock clock && ReferenceEquals(options.Scheduler, CoapScheduler.Default))
        {
            // What awaits responses goes on in virtual time as well, so that the clock need not wait for threads of the pool after each of
            // thousands of blocks.
            options.Scheduler = new VirtualScheduler(clock);
        }

        CoapClient client = new(options);
        lock (_gate)
        {
            _clients.Add(client);
            CoapAddress local = InMemoryNetwork.Address($"[2001:db8:0:1::{_clients.Count.ToString("x", CultureInfo.InvariantCulture)}]:0");
            foreach (string scheme in s_schemes)
            {
                client.Endpoint.AddTransport(Network.CreateTransport(scheme, local, identity));
            }
        }

        return client;
    }

    /// <summary>Stops the application as its host does, and closes the clients.</summary>
    /// <returns>A task that ends when <c>Main</c> has ended; it throws what that threw while it stopped.</returns>
    [SuppressMessage("Design", "CA1816", Justification = "There is no finalizer, and those who derive need none.")]
    public virtual async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync().ConfigureAwait(false);
        }

        if (_entryPoint is { } entryPoint)
        {
            await entryPoint.StopAsync().ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Changes the services of the application; for those who derive. Runs after the application has added its own, and before what
    /// <see cref="WithServices"/> was given.
    /// </summary>
    /// <param name="services">The services.</param>
    protected virtual void ConfigureServices(IServiceCollection services)
    {
    }

    // Where an application asks itself.
    private static Task<IPAddress[]> ResolveAsync(string host, CancellationToken cancellationToken) =>
        host is "localhost"
            ? Task.FromResult<IPAddress[]>([IPAddress.Parse(HostAddress)])
            : throw new SocketException((int)SocketError.HostNotFound);

    private void Change(IServiceCollection services)
    {
        // Signals are for the process of the tests.
        services.Replace(ServiceDescriptor.Singleton<IHostLifetime, SilentLifetime>());
        services.PostConfigureAll<CoapServerOptions>(MoveIntoMemory);
        services.PostConfigureAll<CoapClientOptions>(MoveIntoMemory);
        if (TimeProvider != TimeProvider.System)
        {
            services.Replace(ServiceDescriptor.Singleton(TimeProvider));
        }

        ConfigureServices(services);
        foreach (Action<IServiceCollection> change in _changes)
        {
            change(services);
        }
    }

    private void MoveIntoMemory(CoapClientOptions options)
    {
        CoapTestIdentity? identity = options.Dtls.PskIdentity is { Length: > 0 } psk ? CoapTestIdentity.Psk(psk) : null;
        Forget(options.Tls);
        Forget(options.Dtls);
        options.Dtls.PskIdentity = options.Dtls.PskKey = null;
        options.Endpoint.ResolveHost = ResolveAsync;
        options.Transports.Clear();
        foreach (string scheme in s_schemes)
        {
            options.Transports.Add(_ => Network.CreateTransport(scheme, InMemoryNetwork.Address($"[{HostAddress}]:0"), identity));
        }
    }

    private void MoveIntoMemory(CoapServerOptions options)
    {
        (string Scheme, int Port)[] endpoints =
        [
            .. options.Endpoints.Select(static uri => CoapUri.Parse(uri.Replace("://*", "://[::]", StringComparison.Ordinal)))
                .Where(static uri => s_schemes.Contains(uri.Scheme)).Select(static uri => (uri.Scheme, (int)uri.Port)).Distinct(),
        ];
        options.Endpoints.Clear();
        options.Transports.Clear();
        Forget(options.Tls);
        Forget(options.Dtls);
        options.Dtls.PskFile = options.Dtls.PskIdentityHint = null;
        options.Dtls.Psk.Clear();
        options.Dtls.ClientCertificates = CoapClientCertificateMode.None;

        // There are no groups of real hosts in memory.
        options.JoinGroups = false;
        foreach ((string scheme, int port) in endpoints.Length == 0 ? [("coap", 5683)] : endpoints)
        {
            options.Transports.Add(_ =>
                Network.CreateTransport(scheme, InMemoryNetwork.Address($"[{HostAddress}]:{port.ToString(CultureInfo.InvariantCulture)}")));
        }
    }

    // Files with keys are seldom where tests run, and nothing in memory needs them.
    private static void Forget(CoapTlsFileOptions tls)
    {
        tls.Certificate = tls.Key = tls.Password = tls.Authorities = null;
        tls.ClientCertificates = CoapClientCertificateMode.None;
    }

    private static void Forget(CoapDtlsFileOptions dtls) => dtls.Certificate = dtls.Key = dtls.Password = dtls.Authorities = null;
}
