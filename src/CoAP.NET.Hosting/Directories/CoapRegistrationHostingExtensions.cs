using CoAP.NET;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Directories;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Registrations;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Keeps hosted servers registered with resource directories (RFC 9176).</summary>
public static class CoapRegistrationHostingExtensions
{
    /// <summary>
    /// Registers the server with a resource directory, keeps it registered (<see cref="CoapRegistration"/>), and removes it before it
    /// stops.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="directory">Scheme, host and port, such as <c>coap://rd.example</c>, or a group such as
    /// <see cref="CoapDirectoryClient.LinkLocalGroup"/>.</param>
    /// <param name="configure">
    /// Configures the registration, which already has the links of the server (<see cref="CoapServer.Links"/>). Without a name, the
    /// endpoint gets the name of the machine, followed by the name of the server.
    /// </param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">The URI is not an absolute CoAP URI.</exception>
    /// <remarks>
    /// Registration begins when the server serves; the server starts even if the directory does not answer. You may call it for several
    /// directories. For a directory that configuration names by the same URI (<c>Coap:Server:Directories</c>), the function changes the
    /// configured registration.
    /// </remarks>
    public static ICoapServerBuilder RegisterWith(this ICoapServerBuilder builder, CoapUri directory,
        Action<CoapRegistrationOptions>? configure = null) =>
            RegisterWith(builder, directory, (options, _) => configure?.Invoke(options));

    /// <inheritdoc cref="RegisterWith(ICoapServerBuilder, CoapUri, Action{CoapRegistrationOptions})"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static ICoapServerBuilder RegisterWith(this ICoapServerBuilder builder, string directory,
        Action<CoapRegistrationOptions>? configure = null) =>
            RegisterWith(builder, CoapUri.FromString(directory), configure);

    /// <summary>Registers the server with a resource directory; see
    /// <see cref="RegisterWith(ICoapServerBuilder, CoapUri, Action{CoapRegistrationOptions})"/>.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="directory">Scheme, host and port, or a group.</param>
    /// <param name="configure">
    /// Configures the registration with the services of the application. Called once, when the server serves.
    /// </param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">The URI is not an absolute CoAP URI.</exception>
    public static ICoapServerBuilder RegisterWith(this ICoapServerBuilder builder, CoapUri directory,
        Action<CoapRegistrationOptions, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(directory);
        ArgumentNullException.ThrowIfNull(configure);
        if (HostedDirectoryRegistration.Check(directory.ToString()) is { } problem)
        {
            throw new ArgumentException(problem, nameof(directory));
        }

        return Use(builder, options =>
        {
            HostedDirectoryRegistration? known = options.All.FirstOrDefault(known => CoapUri.Parse(known.Uri) == directory);
            if (known is null)
            {
                options.All.Add(known = new HostedDirectoryRegistration(directory.ToString(), new CoapRegistrationOptions()));
            }

            known.Steps.Add(configure);
        });
    }

    /// <inheritdoc cref="RegisterWith(ICoapServerBuilder, CoapUri, Action{CoapRegistrationOptions, IServiceProvider})"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static ICoapServerBuilder RegisterWith(this ICoapServerBuilder builder, string directory,
        Action<CoapRegistrationOptions, IServiceProvider> configure) =>
            RegisterWith(builder, CoapUri.FromString(directory), configure);

    /// <summary>Registers the server with the resource directories of its configuration section (<c>Directories</c>).</summary>
    /// <param name="builder">The server.</param>
    /// <returns>The builder.</returns>
    /// <remarks><see cref="RegisterWith(ICoapServerBuilder, CoapUri, Action{CoapRegistrationOptions})"/> does that, too.</remarks>
    public static ICoapServerBuilder RegisterWithDirectories(this ICoapServerBuilder builder) => Use(builder, null);

    /// <summary>
    /// Returns the registrations of a server of <c>AddCoapServer</c> with resource directories, for example to report a changed base.
    /// </summary>
    /// <param name="services">The container.</param>
    /// <param name="server">The name of the server; empty for the one without a name.</param>
    /// <returns>The registrations, those of configuration first; none before the server serves, and without <c>RegisterWith</c>.</returns>
    public static IReadOnlyList<CoapRegistration> GetCoapRegistrations(this IServiceProvider services, string server = "")
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(server);
        return services.GetKeyedService<HostedDirectoryRegistrar>(server)?.Running ?? [];
    }

    /// <summary>Adds a check of a hosted server's registrations with resource directories (<c>RegisterWith</c>).</summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="server">The name of the server; empty for the one without a name.</param>
    /// <param name="name">The name of the check; null for <c>coap-registrations</c>, followed by the name of the server.</param>
    /// <param name="failureStatus">The status if the server is not registered; null for Unhealthy.</param>
    /// <param name="tags">Tags to select checks.</param>
    /// <returns>The health checks.</returns>
    /// <remarks>
    /// Healthy: all are in place. Degraded: a refresh of an existing registration failed, or the first attempt is pending. Otherwise, if
    /// one is not registered: the failure status. The description has the reason and the time of the next attempt.
    /// </remarks>
    public static IHealthChecksBuilder AddCoapRegistrations(
        this IHealthChecksBuilder builder, string server = "", string? name = null, HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(server);
        name ??= server.Length == 0 ? "coap-registrations" : $"coap-registrations-{server}";
        return builder.Add(new HealthCheckRegistration(
            name, services => new RegistrationHealthCheck(Find(services, server)), failureStatus, tags));
    }

    private static ICoapServerBuilder Use(ICoapServerBuilder builder, Action<HostedDirectoryRegistrations>? configure) =>
        builder.AddPart(static (services, server) => new HostedDirectoryRegistrar(services, server), HostedDirectoryRegistrations.Table,
            static options => options.Findings, configure);

    private static HostedDirectoryRegistrar Find(IServiceProvider services, string server) =>
        services.GetKeyedService<HostedDirectoryRegistrar>(server)
        ?? throw new InvalidOperationException(
            $"There is no CoAP server with the name '{server}' that registers with directories. Call AddCoapServer on the services, and "
            + "RegisterWith on what it returns.");
}
