using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting.Clients;

/// <summary>Creates clients on first use, and closes them with the container.</summary>
internal sealed class ClientFactory : IAsyncDisposable, IDisposable
{
    private readonly IServiceProvider _services;
    private readonly ClientRegistration[] _registrations;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, HostedClient> _clients = [];
    private readonly List<CoapEndpoint> _own = [];
    private readonly List<HostedClientExtension> _parts = [];
    private readonly List<CredentialFileMonitor> _watches = [];
    private readonly List<ConfigurationChangeWarning> _configurations = [];
    private bool _isDisposed;

    public ClientFactory(IServiceProvider services, IEnumerable<ClientRegistration> registrations)
    {
        _services = services;
        _registrations = [.. registrations];
    }

    /// <summary>Returns a client, which it creates on first use.</summary>
    /// <param name="name">Its name; empty for the one without a name.</param>
    /// <returns>The client, always the same. Only the host closes it.</returns>
    /// <exception cref="ArgumentException">There is no client with this name.</exception>
    public ICoapClient GetClient(string name = "")
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (!_clients.TryGetValue(name, out HostedClient? client))
            {
                client = Make(name);
                _clients.Add(name, client);
            }

            return client;
        }
    }

    public async ValueTask DisposeAsync()
    {
        CoapEndpoint[] own;
        lock (_gate)
        {
            _isDisposed = true;
            own = [.. _own];
            _own.Clear();
        }

        _configurations.ForEach(static watch => watch.Dispose());
        foreach (CredentialFileMonitor watch in _watches)
        {
            await watch.DisposeAsync().ConfigureAwait(false);
        }

        foreach (CoapEndpoint endpoint in own)
        {
            await endpoint.DisposeAsync().ConfigureAwait(false);
        }

        foreach (HostedClientExtension part in Enumerable.Reverse(_parts))
        {
            await part.CloseAsync().ConfigureAwait(false);
        }
    }

    // The container may call Dispose; closing sockets does not wait for peers.
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    private HostedClient Make(string name)
    {
        ClientRegistration registration = _registrations.FirstOrDefault(known => known.Name == name)
            ?? throw new ArgumentException(
                $"No client was added by the name '{name}'. Known "
                    + $"are: {string.Join(", ", _registrations.Select(static known => $"'{known.Name}'"))}. Call AddCoapClient(\"{name}\").", nameof(name));
        CoapClientOptions options = _services.OptionsOf<CoapClientOptions>(name);
        HostedClientExtension[] parts = [.. _services.GetKeyedServices<HostedClientExtension>(name)];
        options.Endpoint.UseHost(_services);
        HostedEndpointDefaults.Warn(
            options.Endpoint.LoggerFactory, options.Findings,
            SecretFilePermissionCheck.Check(options.Tls, parts, registration.SectionPath));
        if (ConfigurationChangeWarning.Begin(registration.SectionIn(_services), registration.Title,
            options.Endpoint.LoggerFactory.CreateLogger(HostingLog.Category)) is { } watch)
        {
            _configurations.Add(watch);
        }

        InnermostClientHandler? link = null;
        CoapEndpoint endpoint = options.Server is { } server
            ? _services.GetRequiredKeyedService<CoapServer>(server).Endpoint
            : MakeEndpoint(options, registration, parts, out link);
        options.MakeReadOnly("a hosted client");
        return new HostedClient(endpoint, link, options, [.. options.Handlers.Select(make => make(_services))]);
    }

    private CoapEndpoint MakeEndpoint(
        CoapClientOptions options, ClientRegistration registration, HostedClientExtension[] parts, out InnermostClientHandler? link)
    {
        options.Peers.ApplyTo(options.Endpoint);
        List<WatchedCredentials> credentials = [];
        options.Endpoint.Tls ??= TlsOptionsLoader.Load(options.Tls, registration.SectionPath, out _, credentials);
        _parts.AddRange(parts.Except(_parts));
        foreach (HostedClientExtension part in parts)
        {
            part.Apply(options, credentials);
        }

        CoapEndpoint endpoint = new(options.Endpoint);
        _own.Add(endpoint);
        if (credentials.Count > 0)
        {
            _watches.Add(new CredentialFileMonitor(credentials, endpoint, registration.Title, options.Endpoint.TimeProvider));
        }

        link = parts.Select(part => part.Link(options, endpoint)).SingleOrDefault(static link => link is not null);
        foreach (Func<IServiceProvider, CoapTransport> make in options.Transports)
        {
            endpoint.AddTransport(make(_services));
        }

        return endpoint;
    }
}
