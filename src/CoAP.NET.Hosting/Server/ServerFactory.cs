using CoAP.NET.Dtls;
using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting;

/// <summary>Creates servers from their options.</summary>
internal static class ServerFactory
{
    public static CoapServer Make(IServiceProvider services, ServerRegistration registration)
    {
        CoapServerOptions options = services.GetRequiredService<IOptionsMonitor<CoapServerOptions>>().Get(registration.Name);
        CoapEndpointOptions endpoint = options.Endpoint;
        UseHost(endpoint, services);
        endpoint.Name ??= registration.Name.Length > 0 ? registration.Name : null;
        endpoint.Routes = registration.Routes;
        options.Peers.ApplyTo(endpoint);
        List<WatchedCredentials> credentials = registration.Life.Credentials;
        endpoint.Tls ??= TlsFiles.Load(options.Tls, registration.SectionPath, out _, credentials);
        if (!DtlsFiles.IsSetByCode(endpoint))
        {
            if (DtlsFiles.Load(options.Dtls, registration.SectionPath, out _, credentials) is { } dtls)
            {
                endpoint.UseDtls(dtls);
            }
            else
            {
                endpoint.TransportFactories.Add(new MissingDtlsKeys(registration.SectionPath));
            }
        }

        if (options.UsesOscore || options.UsesEdhoc || !options.Oscore.IsEmpty)
        {
            endpoint.UseOscore(services.GetRequiredKeyedService<HostedOscore>(registration.Name).Contexts);
        }

        registration.Routes.Routes.WithMetadata(new Binding.HostServices(services));
        registration.Scopes.Attach(services); // the container itself, because the server is a singleton
        Warn(endpoint, options.Findings, KeyFiles.Check(options, registration.SectionPath));
        foreach (Action<CoapEndpointOptions> step in options.EndpointSteps)
        {
            step(endpoint);
        }

        endpoint.TryChangeDtls(dtls =>
        {
            // Code may have set another store, perhaps one that asks ours.
            if (dtls.Server?.PskStore is PskFileStore keys)
            {
                keys.IsOnlyStore = true;
            }
        });
        CoapServer server = new(endpoint);
        registration.Life.Endpoint = server.Endpoint;
        registration.Life.IsHandedConnections = !options.ListenByDefault;
        try
        {
            ProxyFactory.Map(services, server, endpoint, registration.Name);
            HostedEdhoc.Map(services, server, options, registration);
            Listen(server, options, registration);
            foreach (Action<CoapServer> step in options.ServerSteps)
            {
                step(server);
            }
        }
        catch
        {
            // There are no sockets yet, so this ends immediately; otherwise its clocks would continue.
            server.DisposeAsync().AsTask().GetAwaiter().GetResult();
            throw;
        }

        foreach (Func<IServiceProvider, Transports.CoapTransport> make in options.Transports)
        {
            server.Endpoint.AddTransport(make(services));
        }

        if (!options.ListenByDefault)
        {
            server.Endpoint.ExpectConnections();
        }

        if (options.JoinGroups)
        {
            server.JoinGroups(options.Groups);
        }

        return server;
    }

    /// <summary>Sets logger, clock and random source of the host if there are none.</summary>
    public static void UseHost(CoapEndpointOptions endpoint, IServiceProvider services)
    {
        if (endpoint.LoggerFactory == NullLoggerFactory.Instance && services.GetService<ILoggerFactory>() is { } loggers)
        {
            endpoint.LoggerFactory = loggers;
        }

        if (endpoint.TimeProvider == TimeProvider.System && services.GetService<TimeProvider>() is { } time)
        {
            endpoint.TimeProvider = time;
        }

        if (endpoint.Random == CoapRandomSource.Secure && services.GetService<CoapRandomSource>() is { } random)
        {
            endpoint.Random = random;
        }
    }

    /// <summary>Logs unknown keys, and key files that other users can read; if these are errors, the start does not get here.</summary>
    public static void Warn(CoapEndpointOptions endpoint, ConfigurationFindings findings, IEnumerable<string> openKeyFiles)
    {
        ILogger logger = endpoint.LoggerFactory.CreateLogger(HostingLog.Category);
        foreach (string unknown in findings.UnknownKeys)
        {
            HostingLog.UnknownKey(logger, unknown);
        }

        foreach (string open in openKeyFiles)
        {
            HostingLog.OpenKeyFile(logger, CoapForeignText.LineOf(open));
        }
    }

    private static void Listen(CoapServer server, CoapServerOptions options, ServerRegistration registration)
    {
        HashSet<string> seen = [];
        foreach (string uri in options.Endpoints)
        {
            // Port 0 means a different port each time.
            CoapUri address = CoapUri.Parse(uri.Replace("://*", "://[::]", StringComparison.Ordinal));
            if (address.Port != 0 && !seen.Add(address.ToString()))
            {
                continue;
            }

            try
            {
                server.Listen(uri);
            }
            catch (ArgumentException exception)
            {
                string section = registration.SectionPath;
                string hint = address.Scheme == "coaps+tcp" ? $" A certificate for it: {section}:Tls:Certificate." : "";
                throw new OptionsValidationException(
                    registration.Name, typeof(CoapServerOptions),
                    ShownText.OfAll(
                        [
                            $"{registration.SectionPath}:Endpoints has an address that the server cannot listen on. "
                                + $"{exception.Message}{hint}",
                        ]));
            }
        }
    }
}
