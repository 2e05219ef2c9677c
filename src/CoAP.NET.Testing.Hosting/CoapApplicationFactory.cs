using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using CoAP.NET.Dtls.Files;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Dtls;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Testing;

/// <summary>Runs a hosted application from its <c>Main</c> on an in-memory network, for tests.</summary>
/// <remarks>
/// The application's CoAP servers and clients open no socket, and tests can replace its services. Derive from this class to change more for
/// all tests of a class. The first use of <see cref="Services"/> or <see cref="StartAsync"/> starts the application; disposal stops it like
/// SIGTERM. The schemes <c>coap</c>, <c>coaps</c>, <c>coap+tcp</c> and <c>coaps+tcp</c> are served as configured. On the secured schemes
/// clients have the identity that the test sets (<see cref="CreateClient"/>); keys and certificates of the configuration are not read.
/// </remarks>
/// <typeparam name="TEntryPoint">A type in the application's assembly, usually its <c>Program</c>.</typeparam>
public class CoapApplicationFactory<TEntryPoint> : IAsyncDisposable
    where TEntryPoint : class
{
    private static readonly string[] s_schemes = ["coap", "coaps", "coap+tcp", "coaps+tcp"];

    private readonly Lock _gate = new();
    private readonly List<CoapClient> _clients = [];
    private readonly List<Action<IServiceCollection>> _changes = [];

    // By the names of clients.
    private readonly ConcurrentDictionary<string, string> _pskIdentities = new(StringComparer.Ordinal);
    private InMemoryNetwork? _network;
    private EntryPoint? _entryPoint;
    private Task<IHost>? _started;

    /// <summary>
    /// The host of the application in <see cref="Network"/>: its servers have this IP address and their configured ports. The name
    /// <c>localhost</c> resolves to it.
    /// </summary>
    public const string HostAddress = "2001:db8::1";

    /// <summary>The clock of the application and of the network. Default: the system clock.</summary>
    /// <remarks>With a <see cref="VirtualClock"/> the test controls the time. Set it before the application starts.</remarks>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>The arguments for <c>Main</c>. Default none.</summary>
    /// <remarks>
    /// The content root is the folder of the tests, so the application's <c>appsettings.json</c>, which is copied there, is read.
    /// </remarks>
    public IReadOnlyList<string> Arguments { get; init; } = [];

    /// <summary>The environment of the host. Default <c>Development</c>.</summary>
    public string Environment { get; init; } = Environments.Development;

    /// <summary>The options of the network; null for a network without faults. Set it before the application starts.</summary>
    public InMemoryNetworkOptions? NetworkOptions { get; init; }

    /// <summary>Whether parts with state outside of the process, such as a cluster, use their files and databases. Default false.</summary>
    /// <remarks>By default they keep their state in memory. Set it for a test that needs the real store.</remarks>
    public bool UsesStores { get; init; }

    /// <summary>The network of the application. Tests can create further peers in it.</summary>
    public InMemoryNetwork Network =>
        LazyInitializer.EnsureInitialized(ref _network, () => new InMemoryNetwork(TimeProvider, NetworkOptions));

    /// <summary>The services of the running application. Starts the application and waits for the start.</summary>
    /// <exception cref="InvalidOperationException">The application did not start; the inner exception has the cause.</exception>
    public IServiceProvider Services => StartAsync().GetAwaiter().GetResult();

    /// <summary>The base URI of the application's server. Starts the application.</summary>
    /// <exception cref="InvalidOperationException">The application has no server, or did not start.</exception>
    public CoapUri Address => Services.GetService<CoapServer>()?.LocalEndpoints is [CoapUri first, ..]
        ? first
        : throw new InvalidOperationException(
            "The application has no CoAP server without a name. Call AddCoapServer() in it, or take the server by its name from Services "
                + "and read its LocalEndpoints.");

    /// <summary>Returns the base URI of the application's server for a scheme. Starts the application.</summary>
    /// <param name="scheme">The scheme, such as <c>coaps</c>.</param>
    /// <returns>The first address of that scheme.</returns>
    /// <exception cref="InvalidOperationException">
    /// The server does not listen on the scheme, or the application has no server, or did not start.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="scheme"/> is empty.</exception>
    public CoapUri AddressOf(string scheme)
    {
        ArgumentException.ThrowIfNullOrEmpty(scheme);
        _ = Address;
        IReadOnlyList<CoapUri> endpoints = Services.GetRequiredService<CoapServer>().LocalEndpoints;
        return endpoints.FirstOrDefault(endpoint => endpoint.Scheme == scheme)
            ?? throw new InvalidOperationException(
                $"The application does not listen on {scheme}, but on {string.Join(", ", endpoints)}. Add {scheme}:// to its Endpoints.");
    }

    /// <summary>
    /// Replaces services of the application, for example with a test store. Runs after the application's own registrations.
    /// </summary>
    /// <param name="change">Changes the services.</param>
    /// <returns>This object.</returns>
    /// <exception cref="InvalidOperationException">The application was already started.</exception>
    public CoapApplicationFactory<TEntryPoint> WithServices(Action<IServiceCollection> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        lock (_gate)
        {
            if (_started is not null)
            {
                throw new InvalidOperationException(
                    "The application has already started, so its services cannot change. Call WithServices before Services, Address, "
                        + "CreateClient and StartAsync.");
            }

            _changes.Add(change);
        }

        return this;
    }

    /// <summary>Starts the application, unless it was already started.</summary>
    /// <param name="cancellationToken">Cancels the wait; the application continues starting.</param>
    /// <returns>The services of the started application.</returns>
    /// <exception cref="InvalidOperationException">
    /// The application ended before it had started; the inner exception has the cause.
    /// </exception>
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

    /// <summary>Creates a client on the same network, with an address of its own. Disposal of the factory closes it.</summary>
    /// <param name="options">
    /// The options; null for the defaults. Its clock becomes that of the network. Unless it has its own random source, the seed of the
    /// network determines it.
    /// </param>
    /// <param name="identity">The identity of the client for servers on <c>coaps</c> or <c>coaps+tcp</c>; null for none.</param>
    /// <returns>The client. Send requests to <see cref="Address"/> or <see cref="AddressOf"/>.</returns>
    public CoapClient CreateClient(CoapEndpointOptions? options = null, CoapTestIdentity? identity = null)
    {
        options ??= new CoapEndpointOptions();
        options.TimeProvider = TimeProvider;
        options.Transports.ResolveHost = ResolveAsync;
        if (TimeProvider is VirtualClock clock && ReferenceEquals(options.Pipeline.Scheduler, CoapThreadScheduler.Default))
        {
            // Continuations of responses also run in virtual time. Otherwise the clock would wait for pool threads after each of thousands
            // of blocks.
            options.Pipeline.Scheduler = new VirtualScheduler(clock);
        }

        lock (_gate)
        {
            UseSeed(options, $"client of the tests {_clients.Count.ToString(CultureInfo.InvariantCulture)}");
            CoapClient client = new(options);
            _clients.Add(client);
            CoapAddress local = InMemoryNetwork.Address($"[2001:db8:0:1::{_clients.Count.ToString("x", CultureInfo.InvariantCulture)}]:0");
            foreach (string scheme in s_schemes)
            {
                client.Endpoint.AddTransport(Network.CreateTransport(scheme, local, identity));
            }

            return client;
        }
    }

    /// <summary>Stops the application as its host does, and closes the clients.</summary>
    /// <returns>A task that completes when <c>Main</c> has ended. It rethrows exceptions of <c>Main</c> during the stop.</returns>
    [SuppressMessage("Design", "CA1816", Justification = "There is no finalizer, and derived classes need none.")]
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
    /// Changes the services of the application, in derived classes. Runs after the application's own registrations, and before
    /// <see cref="WithServices"/>.
    /// </summary>
    /// <param name="services">The services.</param>
    protected virtual void ConfigureServices(IServiceCollection services)
    {
    }

    // For requests of the application to itself.
    private static Task<IPAddress[]> ResolveAsync(string host, CancellationToken cancellationToken) =>
        host is "localhost"
            ? Task.FromResult<IPAddress[]>([IPAddress.Parse(HostAddress)])
            : throw new SocketException((int)SocketError.HostNotFound);

    private void Change(IServiceCollection services)
    {
        // Signals are meant for the test process.
        services.Replace(ServiceDescriptor.Singleton<IHostLifetime, SilentLifetime>());
        if (!UsesStores)
        {
            services.AddSingleton<CoapTestHostMarker>();
        }

        services.AddSingleton<IPostConfigureOptions<CoapServerOptions>>(new TestOptions<CoapServerOptions>(MoveIntoMemory));
        services.AddSingleton<IPostConfigureOptions<CoapClientOptions>>(new TestOptions<CoapClientOptions>(MoveIntoMemory));
        services.AddSingleton<IPostConfigureOptions<HostedDtlsServerOptions>>(
            new TestOptions<HostedDtlsServerOptions>(static (options, _) => Forget(options)));
        services.AddSingleton<IPostConfigureOptions<HostedDtlsClientOptions>>(new TestOptions<HostedDtlsClientOptions>(Forget));
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

    // Each endpoint has numbers of its own, so the order in which they start does not matter.
    private void UseSeed(CoapEndpointOptions options, string name)
    {
        if (ReferenceEquals(options.Pipeline.Random, CoapRandomSource.Secure))
        {
            // FNV-1a: the same on every machine, unlike the hash of a string.
            ulong seed = (NetworkOptions ?? new InMemoryNetworkOptions()).Seed ^ 0xcbf2_9ce4_8422_2325;
            foreach (char character in name)
            {
                seed = (seed ^ character) * 0x100_0000_01b3;
            }

            options.Pipeline.Random = new VirtualRandom(seed);
        }
    }

    private void MoveIntoMemory(CoapClientOptions options, string name)
    {
        UseSeed(options.Endpoint, $"client {name}");
        Forget(options.Tls);
        options.Endpoint.Transports.ResolveHost = ResolveAsync;
        options.Transports.Clear();
        foreach (string scheme in s_schemes)
        {
            options.Transports.Add(services => Network.CreateTransport(
                scheme, InMemoryNetwork.Address($"[{HostAddress}]:0"), IdentityOf(services, name)));
        }
    }

    private void MoveIntoMemory(CoapServerOptions options, string name)
    {
        UseSeed(options.Endpoint, $"server {name}");
        (string Scheme, int Port)[] endpoints =
        [
            .. options.Endpoints.Select(static uri => CoapUri.Parse(uri.Replace("://*", "://[::]", StringComparison.Ordinal)))
                .Where(static uri => s_schemes.Contains(uri.Scheme)).Select(static uri => (uri.Scheme, (int)uri.Port)).Distinct(),
        ];
        options.Endpoints.Clear();
        options.Transports.Clear();
        Forget(options.Tls);

        // An in-memory network has no groups of real hosts.
        options.JoinGroups = false;
        foreach ((string scheme, int port) in endpoints.Length == 0 ? [("coap", 5683)] : endpoints)
        {
            options.Transports.Add(_ =>
                Network.CreateTransport(scheme, InMemoryNetwork.Address($"[{HostAddress}]:{port.ToString(CultureInfo.InvariantCulture)}")));
        }
    }

    // Key files rarely exist on test machines, and an in-memory network does not need them.
    private static void Forget(CoapTlsFileOptions tls)
    {
        tls.Certificate = tls.Key = tls.Password = tls.Authorities = tls.Crl = null;
        tls.ClientCertificates = CoapClientCertificateMode.None;
    }

    private static void Forget(CoapDtlsServerFileOptions dtls)
    {
        ForgetFiles(dtls);
        dtls.PskFile = dtls.PskIdentityHint = null;
        dtls.Psk.Clear();
        dtls.ClientCertificates = CoapClientCertificateMode.None;
    }

    private void Forget(CoapDtlsClientFileOptions dtls, string name)
    {
        ForgetFiles(dtls);
        if (dtls.PskIdentity is { Length: > 0 } psk)
        {
            _pskIdentities[name] = psk;
        }

        dtls.PskIdentity = dtls.PskKey = null;
    }

    private static void ForgetFiles(CoapDtlsFileOptions dtls) =>
        dtls.Certificate = dtls.Key = dtls.Password = dtls.Authorities = dtls.Crl = null;

    // The identity that a client would have by its options.
    private CoapTestIdentity? IdentityOf(IServiceProvider services, string client)
    {
        _ = services.GetRequiredService<IOptionsMonitor<HostedDtlsClientOptions>>().Get(client);
        return _pskIdentities.TryGetValue(client, out string? psk) ? CoapTestIdentity.Psk(psk) : null;
    }

    private sealed class TestOptions<TOptions>(Action<TOptions, string> change) : IPostConfigureOptions<TOptions>
        where TOptions : class
    {
        public void PostConfigure(string? name, TOptions options) => change(options, name ?? "");
    }
}

/// <summary>A host lifetime that ignores signals of the process: the test decides when it ends.</summary>
internal sealed class SilentLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
