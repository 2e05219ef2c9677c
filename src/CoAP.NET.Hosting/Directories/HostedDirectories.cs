namespace CoAP.NET.Hosting;

/// <summary>The registrations of a hosted server with resource directories, while it serves.</summary>
#pragma warning disable CA1001 // StopAsync disposes its fields
internal sealed class HostedDirectories
#pragma warning restore CA1001
{
    // The maximum length of a generated name.
    private const int MaxNameLength = 63;

    private readonly List<CoapRegistration> _registrations = [];
    private volatile CoapRegistration[] _running = [];
    private CoapClient? _client;

    /// <summary>The registrations that have begun; empty before the server serves.</summary>
    public IReadOnlyList<CoapRegistration> Running => _running;

    /// <summary>Begins them: requests leave from the sockets of the server.</summary>
    /// <param name="services">The services of the application.</param>
    /// <param name="server">The server, which serves.</param>
    /// <param name="directories">The directories.</param>
    /// <param name="name">The name of the server; empty for none.</param>
    /// <exception cref="ArgumentException">An attribute is not valid in a registration.</exception>
    public void Start(IServiceProvider services, CoapServer server, IEnumerable<HostedDirectory> directories, string name)
    {
        foreach (HostedDirectory directory in directories)
        {
            CoapRegistrationOptions options = directory.Options;
            options.Links = server.Links;
            foreach (Action<CoapRegistrationOptions, IServiceProvider> step in directory.Steps)
            {
                step(options, services);
            }

            if (options.EndpointName.Length == 0)
            {
                options.EndpointName = NameOf(name);
            }

            _client ??= new CoapClient(server.Endpoint);
            _registrations.Add(CoapRegistration.Start(_client, directory.Uri, options));
        }

        _running = [.. _registrations];
    }

    /// <summary>Ends them: notifies all directories at the same time.</summary>
    /// <param name="cancellationToken">Ends the wait for directories that do not answer.</param>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await Task.WhenAll(_registrations.Select(registration => registration.StopAsync(cancellationToken))).ConfigureAwait(false);
        if (_client is { } client)
        {
            await client.DisposeAsync().ConfigureAwait(false);
        }
    }

    private static string NameOf(string server)
    {
        string machine = Environment.MachineName.ToLowerInvariant();
        string name = server.Length == 0 ? machine : $"{machine}-{server}";
        name = new string([.. name.Select(static character => char.IsAscii(character) && !char.IsControl(character) ? character : '-')]);
        return name.Length <= MaxNameLength ? name : name[..MaxNameLength];
    }
}
