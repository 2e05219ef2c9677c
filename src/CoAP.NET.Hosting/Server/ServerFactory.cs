using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Server;

/// <summary>Creates hosted servers from their options and parts.</summary>
internal static class ServerFactory
{
    public static CoapServer Make(IServiceProvider services, ServerRegistration registration, HostedServerExtension[] parts)
    {
        CoapServerOptions options = services.OptionsOf<CoapServerOptions>(registration.Name);
        CoapEndpointOptions endpoint = options.Endpoint;
        endpoint.UseHost(services);
        endpoint.Name ??= registration.Name.Length > 0 ? registration.Name : null;
        endpoint.Routes = registration.Routes;
        options.Peers.ApplyTo(endpoint);
        List<WatchedCredentials> credentials = registration.Life.Credentials;
        endpoint.Tls ??= TlsOptionsLoader.Load(options.Tls, registration.SectionPath, out _, credentials);
        foreach (HostedServerExtension part in parts)
        {
            part.Apply(endpoint, credentials);
        }

        registration.Routes.Routes.WithMetadata(new Binding.HostServicesMetadata(services));
        registration.Scopes.Attach(services); // the container itself, because the server is a singleton
        HostedEndpointDefaults.Warn(
            endpoint.LoggerFactory, options.Findings, SecretFilePermissionCheck.Check(options.Tls, parts, registration.SectionPath));
        foreach (Action<CoapEndpointOptions> step in options.EndpointSteps)
        {
            step(endpoint);
        }

        foreach (HostedServerExtension part in parts)
        {
            part.OnOptionsFinal(endpoint);
        }

        CoapServer server = new(endpoint)
        {
            HowToListen = $"Set {registration.SectionPath}:Endpoints, or call Listen on the options of AddCoapServer, for example with "
                + "coap://*:5683 for all addresses.",
        };
        registration.Life.Endpoint = server.Endpoint;
        registration.Life.IsHandedConnections = !options.ListenByDefault;
        try
        {
            foreach (HostedServerExtension part in parts)
            {
                part.Map(server);
            }

            Listen(server, options, registration, parts);
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

        foreach (Func<IServiceProvider, CoapTransport> make in options.Transports)
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

        options.MakeReadOnly("a hosted server");
        return server;
    }

    private static void Listen(CoapServer server, CoapServerOptions options, ServerRegistration registration, HostedServerExtension[] parts)
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
                string hint = address.Scheme == "coaps+tcp" ? $" A certificate for it: {section}:Tls:Certificate."
                    : address.Scheme == "coaps" && !parts.Any(static part => part.Section == SectionOfMissingPackage.Dtls)
                    ? $" For keys in {section}:Dtls, call UseDtls on what AddCoapServer returns." : "";
                throw new OptionsValidationException(
                    registration.Name, typeof(CoapServerOptions),
                    ConfigurationTextFormatter.OfAll(
                        [
                            $"{registration.SectionPath}:Endpoints has an address that the server cannot listen on. "
                                + $"{exception.Message}{hint}",
                        ]));
            }
        }
    }
}
