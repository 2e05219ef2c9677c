using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.ResourceDirectory;

namespace CoAP.NET.Hosting.Directories;

/// <summary>The registrations of a hosted server with resource directories, while it serves.</summary>
/// <param name="services">The services of the application.</param>
/// <param name="server">The server.</param>
#pragma warning disable CA1001 // LeaveAsync disposes its field
internal sealed class HostedDirectoryRegistrar(IServiceProvider services, HostedRegistration server) : HostedServerExtension
#pragma warning restore CA1001
{
    // The maximum length of a generated name.
    private const int MaxNameLength = 63;

    private readonly List<CoapRegistration> _registrations = [];
    private volatile CoapRegistration[] _running = [];
    private volatile bool _isServing;
    private CoapClient? _client;

    public override string Section => HostedDirectoryRegistrations.Section;

    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => HostedDirectoryRegistrations.Table.Paths;

    /// <summary>The registrations that have begun; empty before the server serves.</summary>
    public IReadOnlyList<CoapRegistration> Running => _running;

    public bool IsServing => _isServing;

    /// <summary>The name of the server in messages.</summary>
    public string Title => server.Title;

    private HostedDirectoryRegistrations Options => services.OptionsOf<HostedDirectoryRegistrations>(server.Name);

    public override IEnumerable<string> Check(CoapEndpointOptions endpoint) =>
        [.. Options.Findings.Errors, .. Options.Findings.UnknownKeys];

    // Requests leave from the sockets of the server.
    public override void Begin(CoapServer running)
    {
        foreach (HostedDirectoryRegistration directory in Options.All)
        {
            CoapRegistrationOptions options = directory.Options;
            options.Links = running.Links;
            foreach (Action<CoapRegistrationOptions, IServiceProvider> step in directory.Steps)
            {
                step(options, services);
            }

            if (options.EndpointName.Length == 0)
            {
                options.EndpointName = NameOf(server.Name);
            }

            _client ??= new CoapClient(running.Endpoint);
            _registrations.Add(CoapRegistration.Start(_client, directory.Uri, options));
        }

        _running = [.. _registrations];
        _isServing = true;
    }

    // Clients should no longer find a server that is about to stop. All directories are notified at the same time.
    public override async Task LeaveAsync(CancellationToken cancellationToken)
    {
        _isServing = false;
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
