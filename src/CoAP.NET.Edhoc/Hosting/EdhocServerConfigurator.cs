using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Edhoc.Hosting;

/// <summary>Adds EDHOC to a hosted server: its configuration section and its responder.</summary>
internal sealed class EdhocServerConfigurator(IServiceProvider services, HostedRegistration server) : HostedServerExtension
{
    private const string Category = "CoAP.NET.Edhoc";

    public override string Section => EdhocConfigurationKeys.Section;

    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => EdhocConfigurationKeys.ServerTable.Paths;

    private CoapEdhocServerFileOptions Options => services.OptionsOf<CoapEdhocServerFileOptions>(server.Name);

    public override IEnumerable<string> Check(CoapEndpointOptions endpoint) =>
        Options.Findings.Errors.Concat(EdhocFileOptionsValidator.Check(Options, server.SectionPath));

    /// <summary>Creates the EDHOC of the server.</summary>
    /// <exception cref="OptionsValidationException">It has no credentials.</exception>
    public EdhocServer Make()
    {
        CoapEndpointOptions endpoint = services.GetRequiredKeyedService<IServerSettings>(server.Name).Endpoint;
        EdhocServerOptions edhoc = new()
        {
            Contexts = services.GetRequiredKeyedService<OscoreContexts>(server.Name),
            Logger = endpoint.LoggerFactory.CreateLogger(Category),
            MeterFactory = endpoint.Telemetry.MeterFactory,
            TimeProvider = endpoint.TimeProvider,
        };
        edhoc.Settings.Random = endpoint.Pipeline.Random;
        services.GetRequiredKeyedService<Credentials>(server.Name).File?.ApplyTo(edhoc);
        Options.ApplyTo(edhoc);
        Options.Configure?.Invoke(edhoc, services);
        return edhoc.Credentials.Count > 0
            ? new EdhocServer(edhoc)
            : throw new OptionsValidationException(
                server.Name, typeof(CoapEdhocServerFileOptions),
                [$"{server.SectionPath}:Edhoc:File names no credentials, and the function of UseEdhoc adds none. The server has to prove "
                    + "its identity."]);
    }

    public override void Map(CoapServer created)
    {
        try
        {
            // Independent of the requirements of the server's routes: clients get the credentials for those requirements from it.
            created.MapEdhoc(services.GetRequiredKeyedService<EdhocServer>(server.Name), Options.Path)
                .AllowAnonymous().AllowInsecureTransport();
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or FormatException)
        {
            throw new OptionsValidationException(
                server.Name, typeof(CoapEdhocServerFileOptions),
                ConfigurationTextFormatter.OfAll(
                    [
                        $"{server.SectionPath}:Edhoc:Path = '{ConfigurationTextFormatter.OfFile(Options.Path)}' is not a valid path to "
                            + $"serve. {exception.Message}",
                    ]));
        }
    }

    /// <summary>The credentials of a server's file, which the container wipes after the server has ended.</summary>
    internal sealed class Credentials(string? path) : IDisposable
    {
        public EdhocCredentialFile? File { get; } = path is null ? null : EdhocCredentialFile.Read(path);

        public void Dispose() => File?.Dispose();
    }
}
