using CoAP.NET;
using CoAP.NET.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Keeps hosted servers registered with resource directories (RFC 9176).</summary>
public static class CoapDirectoryServerBuilderExtensions
{
    /// <summary>
    /// Registers the server with a resource directory when it serves, keeps it registered (<see cref="CoapRegistration"/>), and removes it
    /// before it stops. The server starts whether the directory answers or not. May be called for several directories; for one that
    /// configuration names by the same URI (<c>Coap:Server:Directories</c>) the function changes what configuration says.
    /// </summary>
    /// <param name="builder">The server.</param>
    /// <param name="directory">Scheme, host and port, such as <c>coap://rd.example</c>, or a group such as
    /// <see cref="CoapResourceDirectory.LinkLocalGroup"/>.</param>
    /// <param name="configure">Sets what is registered. It has already the links of the server (<see cref="CoapServer.Links"/>); without
    /// a name the endpoint gets that of the machine, with the name of the server behind it.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">The URI is no absolute CoAP URI.</exception>
    public static ICoapServerBuilder RegisterWith(this ICoapServerBuilder builder, string directory,
        Action<CoapRegistrationOptions>? configure = null) =>
            RegisterWith(builder, directory, (options, _) => configure?.Invoke(options));

    /// <summary>Registers the server with a resource directory; see
    /// <see cref="RegisterWith(ICoapServerBuilder, string, Action{CoapRegistrationOptions})"/>.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="directory">Scheme, host and port, or a group.</param>
    /// <param name="configure">Sets what is registered; is given the services of the application. Called once, when the server
    /// serves.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">The URI is no absolute CoAP URI.</exception>
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
