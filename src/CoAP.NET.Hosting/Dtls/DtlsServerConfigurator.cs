using CoAP.NET.Composition;
using CoAP.NET.Dtls.Files;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Hosting.Dtls;

/// <summary>DTLS of a hosted server.</summary>
/// <param name="services">The services of the application.</param>
/// <param name="server">The server.</param>
internal sealed class DtlsServerConfigurator(IServiceProvider services, HostedRegistration server) : HostedServerExtension
{
    public override string Section => DtlsConfigurationKeys.Section;

    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => DtlsConfigurationKeys.ServerTable.Paths;

    public override IEnumerable<(string Key, string? Path)> KeyFiles =>
        [($"{server.SectionPath}:Dtls:PskFile", Options.PskFile), ($"{server.SectionPath}:Dtls:Key", Options.Key)];

    private HostedDtlsServerOptions Options => services.OptionsOf<HostedDtlsServerOptions>(server.Name);

    public override IEnumerable<string> Check(CoapEndpointOptions endpoint)
    {
        string? problem = null;
        if (!DtlsSectionCheck.IsSetByCode(endpoint))
        {
            _ = DtlsOptionsLoader.Load(Options, $"{server.SectionPath}:Dtls", out problem);
        }

        return DtlsSectionCheck.Check(Options, Options.Findings.Errors, endpoint, server.SectionPath, problem);
    }

    public override void Apply(CoapEndpointOptions endpoint, List<WatchedCredentials> credentials)
    {
        if (DtlsSectionCheck.IsSetByCode(endpoint))
        {
            return;
        }

        if (DtlsOptionsLoader.Load(Options, $"{server.SectionPath}:Dtls", out _, credentials) is { } dtls)
        {
            endpoint.UseDtls(dtls);
        }
        else
        {
            endpoint.Transports.Factories.Add(new MissingDtlsKeysFactory(server.SectionPath));
        }
    }

    public override void OnOptionsFinal(CoapEndpointOptions endpoint) => endpoint.TryChangeDtls(static dtls =>
    {
        // Code may have set another store, perhaps one that asks ours.
        if (dtls.Server?.PskStore is PskFileStore keys)
        {
            keys.IsOnlyStore = true;
        }
    });
}

/// <summary>
/// Takes the place of DTLS in a server whose configuration has no keys for it, and names the missing keys. A call of <c>UseDtls</c>
/// replaces it.
/// </summary>
/// <param name="section">The section of the server.</param>
internal sealed class MissingDtlsKeysFactory(string section) : ICoapTransportFactory
{
    public string Scheme => "coaps";

    public int DefaultPort => 5684;

    public bool IsSecure => true;

    private string Message =>
        $"{MissingTransportMessage.NoKeys} For pre-shared keys set {section}:Dtls:PskFile or {section}:Dtls:Psk; for a certificate set "
            + $"{section}:Dtls:Certificate. In code, call UseDtls on Endpoint.";

    public void ThrowIfCannotListen() => throw new ArgumentException(Message);

    public CoapTransport Create(CoapUdpTransportOptions sockets) => throw new CoapException(Message);
}
