using CoAP.NET;
using CoAP.NET.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Keeps hosted servers registered with resource directories (RFC 9176).</summary>
public static class CoapDirectoryServerBuilderExtensions
{
    /// <summary>
    /// Registers the server with a resource directory, keeps it registered (<see cref="CoapRegistration"/>), and removes it before it
    /// stops.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="directory">Scheme, host and port, such as <c>coap://rd.example</c>, or a group such as
    /// <see cref="CoapResourceDirectory.LinkLocalGroup"/>.</param>
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
    public static ICoapServerBuilder RegisterWith(this ICoapServerBuilder builder, string directory,
        Action<CoapRegistrationOptions>? configure = null) =>
            RegisterWith(builder, directory, (options, _) => configure?.Invoke(options));

    /// <summary>Registers the server with a resource directory; see
    /// <see cref="RegisterWith(ICoapServerBuilder, string, Action{CoapRegistrationOptions})"/>.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="directory">Scheme, host and port, or a group.</param>
    /// <param name="configure">
    /// Configures the registration with the services of the application. Called once, when the server serves.
    /// </param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">The URI is not an absolute CoAP URI.</exception>
    public static ICoapServerBuilder RegisterWith(this ICoapServerBuilder builder, string directory,
        Action<CoapRegistrationOptions, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(directory);
        ArgumentNullException.ThrowIfNull(configure);
        if (HostedDirectory.Check(directory) is { } problem)
        {
            throw new ArgumentException(problem, nameof(directory));
        }

        return builder.Configure((options, _) =>
        {
            CoapUri uri = CoapUri.Parse(directory);
            HostedDirectory? known = options.Directories.FirstOrDefault(known => CoapUri.Parse(known.Uri) == uri);
            if (known is null)
            {
                options.Directories.Add(known = new HostedDirectory(directory, new CoapRegistrationOptions()));
            }

            known.Steps.Add(configure);
        });
    }
}
