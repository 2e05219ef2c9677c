using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Edhoc.Hosting;

/// <summary>Adds EDHOC to a hosted client: its configuration section and the handler that runs key exchanges.</summary>
internal sealed class EdhocClientConfigurator(IServiceProvider services, HostedRegistration client) : HostedClientExtension
{
    private readonly List<EdhocClientHandler> _links = [];
    private OscoreContexts? _contexts;

    public override string Section => EdhocConfigurationKeys.Section;

    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => EdhocConfigurationKeys.ClientTable.Paths;

    private CoapEdhocClientFileOptions Options => services.OptionsOf<CoapEdhocClientFileOptions>(client.Name);

    public override IEnumerable<string> Check(IClientSettings settings) => Options.Findings.Errors.Concat(
        EdhocFileOptionsValidator.Check(
            Options, services.OptionsOf<CoapOscoreClientFileOptions>(client.Name), settings, client.SectionPath));

    public override void Apply(IClientSettings settings, List<WatchedCredentials> credentials)
    {
        _contexts = services.GetRequiredKeyedService<OscoreClientConfigurator>(client.Name).ContextsOf(settings.Endpoint);
        _contexts.Require(ServerOf(settings));
    }

    public override InnermostClientHandler Link(IClientSettings settings, CoapEndpoint endpoint)
    {
        EdhocCredentialFile? file = Options.File is { } path ? EdhocCredentialFile.Read(path) : null;
        EdhocClientOptions edhoc = new() { Contexts = _contexts };
        edhoc.Settings.Random = settings.Endpoint.Pipeline.Random;
        file?.ApplyTo(edhoc);
        Options.ApplyTo(edhoc, ServerOf(settings));
        Options.Configure?.Invoke(edhoc, services);
        if (edhoc.Credentials.Count == 0)
        {
            throw new OptionsValidationException(
                client.Name, typeof(CoapEdhocClientFileOptions),
                [$"{client.SectionPath}:Edhoc:File names no credentials, and the function of UseEdhoc adds none. The client has to prove "
                    + "its identity."]);
        }

        CoapClient requester = new(endpoint)
        {
            Timeout = settings.Timeout,
            Proxy = settings.Proxy,
        };
        EdhocClientHandler link = new(
            new EdhocClient(requester, edhoc), ServerOf(settings), file, settings.Endpoint.TimeProvider);
        _links.Add(link);
        return link;
    }

    public override ValueTask CloseAsync()
    {
        _links.ForEach(static link => link.Dispose());
        return ValueTask.CompletedTask;
    }

    private CoapUri ServerOf(IClientSettings settings) => Options.Uri ?? settings.BaseAddress!;
}
