using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting;

/// <summary>OSCORE of a hosted server.</summary>
/// <param name="services">The services of the application.</param>
/// <param name="server">The server.</param>
#pragma warning disable CA1001 // CloseAsync disposes its field
internal sealed class OscoreServerPart(IServiceProvider services, HostedRegistration server) : ServerPart
#pragma warning restore CA1001
{
    private OscoreFileWatch? _watch;

    public override string Section => OscoreSectionKeys.Section;

    public override IEnumerable<(string Path, KeyShape Shape)> Keys => OscoreSectionKeys.ServerTable.Paths;

    public override IEnumerable<(string Key, string? Path)> KeyFiles =>
        Options.Files.Select((path, index) => ($"{server.SectionPath}:Oscore:Files:{index}", (string?)path));

    private CoapOscoreServerFileOptions Options => services.OptionsOf<CoapOscoreServerFileOptions>(server.Name);

    private HostedOscore Hosted => services.GetRequiredKeyedService<HostedOscore>(server.Name);

    public override IEnumerable<string> Check(CoapEndpointOptions endpoint) =>
        Options.Findings.Errors.Concat(OscoreFiles.Check(Options, server.SectionPath));

    public override void Apply(CoapEndpointOptions endpoint, List<WatchedCredentials> credentials) =>
        endpoint.UseOscore(Hosted.Contexts);

    public override Task OpenAsync(CancellationToken cancellationToken) =>
        Options.IsEmpty ? Task.CompletedTask : Hosted.OpenAsync(Options.Files, cancellationToken);

    public override void Begin(CoapServer running)
    {
        if (!Options.IsEmpty)
        {
            CoapEndpointOptions endpoint = services.GetRequiredKeyedService<IServerSettings>(server.Name).Endpoint;
            _watch = new OscoreFileWatch(Hosted, running, server.Title, endpoint.TimeProvider,
                endpoint.LoggerFactory.CreateLogger(HostingLog.Category));
        }
    }

    public override async ValueTask CloseAsync()
    {
        if (_watch is { } watch)
        {
            // After the last answer, so that the store has all received numbers.
            await watch.DisposeAsync().ConfigureAwait(false);
            await Hosted.DisposeAsync().ConfigureAwait(false);
        }
    }
}
