using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting;

/// <summary>Creates EDHOC of hosted servers and clients.</summary>
internal static class HostedEdhoc
{
    private const string Category = "CoAP.NET.Edhoc";

    /// <summary>Creates the credentials of a server's file, which the container wipes after the server has ended.</summary>
    public static ServerCredentials MakeCredentials(IServiceProvider services, ServerRegistration registration) =>
        new(OptionsOf(services, registration).Edhoc.File);

    /// <summary>Creates the EDHOC of a server.</summary>
    /// <exception cref="OptionsValidationException">It has no credentials.</exception>
    /// <exception cref="InvalidOperationException">It has no EDHOC.</exception>
    public static EdhocServer MakeServer(IServiceProvider services, ServerRegistration registration)
    {
        CoapServerOptions options = OptionsOf(services, registration);
        if (!options.UsesEdhoc)
        {
            throw new InvalidOperationException(
                $"{registration.Title} has no EDHOC. Set {registration.SectionPath}:Edhoc:File, or call UseEdhoc on its builder.");
        }

        EdhocServerOptions edhoc = new()
        {
            Contexts = services.GetRequiredKeyedService<OscoreContexts>(registration.Name),
            Logger = options.Endpoint.LoggerFactory.CreateLogger(Category),
            MeterFactory = options.Endpoint.MeterFactory,
            TimeProvider = options.Endpoint.TimeProvider,
        };
        edhoc.Settings.Random = options.Endpoint.Random;
        services.GetRequiredKeyedService<ServerCredentials>(registration.Name).File?.ApplyTo(edhoc);
        options.Edhoc.ApplyTo(edhoc);
        foreach (Action<EdhocServerOptions> step in options.EdhocSteps)
        {
            step(edhoc);
        }

        return edhoc.Credentials.Count > 0
            ? new EdhocServer(edhoc)
            : throw new OptionsValidationException(
                registration.Name, typeof(CoapServerOptions),
                [$"{registration.SectionPath}:Edhoc:File names no credentials, and the function of UseEdhoc adds none. The server has to "
                    + "prove its identity."]);
    }

    /// <summary>Maps the EDHOC of a server.</summary>
    public static void Map(IServiceProvider services, CoapServer server, CoapServerOptions options, ServerRegistration registration)
    {
        if (!options.UsesEdhoc)
        {
            return;
        }

        try
        {
            // Independent of the requirements of the server's routes: clients get the credentials for those requirements from it.
            server.MapEdhoc(services.GetRequiredKeyedService<EdhocServer>(registration.Name), options.Edhoc.Path)
                .AllowAnonymous().AllowInsecureTransport();
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or FormatException)
        {
            throw new OptionsValidationException(
                registration.Name, typeof(CoapServerOptions),
                ShownText.OfAll(
                    [$"{registration.SectionPath}:Edhoc:Path = '{options.Edhoc.Path}' is not a valid path to serve. {exception.Message}"]));
        }
    }

    /// <summary>Creates the EDHOC of a client; null for none.</summary>
    /// <param name="options">The options of the client.</param>
    /// <param name="contexts">The contexts of its endpoint.</param>
    /// <param name="endpoint">Its endpoint.</param>
    /// <param name="section">The name of its section in messages.</param>
    /// <exception cref="OptionsValidationException">It has no credentials.</exception>
    public static EdhocLink? MakeLink(CoapClientOptions options, OscoreContexts? contexts, CoapEndpoint endpoint, string section)
    {
        if (!options.UsesEdhoc)
        {
            return null;
        }

        EdhocCredentialFile? file = options.Edhoc.File is { } path ? EdhocCredentialFile.Read(path) : null;
        EdhocClientOptions edhoc = new() { Contexts = contexts };
        edhoc.Settings.Random = options.Endpoint.Random;
        file?.ApplyTo(edhoc);
        options.Edhoc.ApplyTo(edhoc, ServerOf(options));
        foreach (Action<EdhocClientOptions> step in options.EdhocSteps)
        {
            step(edhoc);
        }

        if (edhoc.Credentials.Count == 0)
        {
            throw new OptionsValidationException(
                section, typeof(CoapClientOptions),
                [$"{section}:Edhoc:File names no credentials, and the function of UseEdhoc adds none. The client has to prove its "
                    + "identity."]);
        }

        CoapClient requester = new(endpoint)
        {
            Timeout = options.Timeout,
            Proxy = options.Proxy is { } proxy ? CoapUri.Parse(proxy) : null,
        };
        return new EdhocLink(
            new EdhocClient(requester, edhoc), CoapUri.Parse(ServerOf(options)), file, options.Endpoint.TimeProvider);
    }

    /// <summary>Returns the server that a client agrees on keys with.</summary>
    public static string ServerOf(CoapClientOptions options) => options.Edhoc.Uri ?? options.BaseAddress!;

    private static CoapServerOptions OptionsOf(IServiceProvider services, ServerRegistration registration) =>
        services.GetRequiredService<IOptionsMonitor<CoapServerOptions>>().Get(registration.Name);

    /// <summary>The credentials of a server's file; wiped with the container.</summary>
    internal sealed class ServerCredentials(string? path) : IDisposable
    {
        public EdhocCredentialFile? File { get; } = path is null ? null : EdhocCredentialFile.Read(path);

        public void Dispose() => File?.Dispose();
    }
}
