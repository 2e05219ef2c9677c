using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>Adds OSCORE to a hosted server: its configuration section and its security contexts.</summary>
internal sealed class OscoreServerConfigurator(IServiceProvider services, HostedRegistration server) : HostedServerExtension
{
    private List<WatchedCredentials> _credentials = [];

    public override string Section => OscoreConfigurationKeys.Section;

    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => OscoreConfigurationKeys.ServerTable.Paths;

    public override IEnumerable<(string Key, string? Path)> KeyFiles =>
        Options.Files.Select((path, index) => ($"{server.SectionPath}:Oscore:Files:{index}", (string?)path));

    private CoapOscoreServerFileOptions Options => services.OptionsOf<CoapOscoreServerFileOptions>(server.Name);

    private HostedOscore Hosted => services.GetRequiredKeyedService<HostedOscore>(server.Name);

    public override IEnumerable<string> Check(CoapEndpointOptions endpoint) =>
        Options.Findings.Errors.Concat(OscoreFileOptionsValidator.Check(Options, server.SectionPath));

    public override void Apply(CoapEndpointOptions endpoint, List<WatchedCredentials> credentials)
    {
        endpoint.UseOscore(Hosted.Contexts);
        _credentials = credentials;
    }

    public override async Task OpenAsync(CancellationToken cancellationToken)
    {
        if (!Options.IsEmpty)
        {
            await Hosted.OpenAsync(Options.Files, cancellationToken).ConfigureAwait(false);
            _credentials.AddRange(Hosted.Files);
        }
    }

    // After the last answer, so that the store has all received numbers.
    public override ValueTask CloseAsync() => Hosted.DisposeAsync();
}
