using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>Adds OSCORE to a hosted client: its configuration section and its security context.</summary>
internal sealed class OscoreClientConfigurator(IServiceProvider services, HostedRegistration client) : HostedClientExtension
{
    private readonly List<HostedOscore> _opened = [];
    private OscoreContexts? _contexts;

    public override string Section => OscoreConfigurationKeys.Section;

    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => OscoreConfigurationKeys.ClientTable.Paths;

    public override IEnumerable<(string Key, string? Path)> KeyFiles => [($"{client.SectionPath}:Oscore:File", Options.File)];

    private CoapOscoreClientFileOptions Options => services.OptionsOf<CoapOscoreClientFileOptions>(client.Name);

    public override IEnumerable<string> Check(IClientSettings settings) =>
        Options.Findings.Errors.Concat(OscoreFileOptionsValidator.Check(Options, settings, client.SectionPath));

    public override void Apply(IClientSettings settings, List<WatchedCredentials> credentials)
    {
        _contexts = null;
        if (Options.File is { } file)
        {
            OscoreContexts contexts = ContextsOf(settings.Endpoint);

            // Blocks briefly for the disk, before a request could leave unprotected.
            HostedOscore oscore = new(contexts, Options.Store);
            oscore.OpenAsync([file], CancellationToken.None).GetAwaiter().GetResult();
            _opened.Add(oscore);
            contexts.Add(Options.Uri ?? settings.BaseAddress!, oscore.Files[0].Only);
        }
    }

    /// <summary>Returns the security contexts of the endpoint, which then uses OSCORE.</summary>
    public OscoreContexts ContextsOf(CoapEndpointOptions endpoint)
    {
        if (_contexts is null)
        {
            endpoint.UseOscore(_contexts = new OscoreContexts());
        }

        return _contexts;
    }

    public override async ValueTask CloseAsync()
    {
        foreach (HostedOscore oscore in _opened)
        {
            await oscore.DisposeAsync().ConfigureAwait(false);
        }
    }
}
