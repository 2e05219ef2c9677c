using CoAP.NET.Dtls.Files;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Hosting.Dtls;

/// <summary>DTLS of a hosted client.</summary>
/// <param name="services">The services of the application.</param>
/// <param name="client">The client.</param>
internal sealed class DtlsClientConfigurator(IServiceProvider services, HostedRegistration client) : HostedClientExtension
{
    public override string Section => DtlsConfigurationKeys.Section;

    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => DtlsConfigurationKeys.ClientTable.Paths;

    public override IEnumerable<(string Key, string? Path)> KeyFiles => [($"{client.SectionPath}:Dtls:Key", Options.Key)];

    private HostedDtlsClientOptions Options => services.OptionsOf<HostedDtlsClientOptions>(client.Name);

    public override IEnumerable<string> Check(IClientSettings settings)
    {
        string? problem = null;
        if (!DtlsSectionCheck.IsSetByCode(settings.Endpoint))
        {
            _ = DtlsOptionsLoader.Load(Options, $"{client.SectionPath}:Dtls", out problem);
        }

        return DtlsSectionCheck.Check(Options, Options.Findings.Errors, settings.Endpoint, client.SectionPath, problem);
    }

    public override void Apply(IClientSettings settings, List<WatchedCredentials> credentials)
    {
        if (!DtlsSectionCheck.IsSetByCode(settings.Endpoint)
            && DtlsOptionsLoader.Load(Options, $"{client.SectionPath}:Dtls", out _, credentials) is { } dtls)
        {
            settings.Endpoint.UseDtls(dtls);
        }
    }
}
