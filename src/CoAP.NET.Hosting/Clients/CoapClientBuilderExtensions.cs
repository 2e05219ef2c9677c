using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Configures a client after <c>AddCoapClient</c>.</summary>
public static class CoapClientBuilderExtensions
{
    /// <summary>Sets options of a client with services of the application.</summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">Sets options with the services of the application.</param>
    /// <returns>The builder.</returns>
    public static ICoapClientBuilder Configure(this ICoapClientBuilder builder, Action<CoapClientOptions, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        builder.Services.AddOptions<CoapClientOptions>(builder.Name).Configure(configure);
        return builder;
    }

    /// <summary>
    /// Makes the client use the endpoint of a hosted server: its requests leave from the server's port, and use the connections that peers
    /// opened to it.
    /// </summary>
    /// <param name="builder">The client.</param>
    /// <param name="name">The name of the server; empty for the one without a name.</param>
    /// <returns>The builder.</returns>
    public static ICoapClientBuilder UseServer(this ICoapClientBuilder builder, string name = "")
    {
        ArgumentNullException.ThrowIfNull(name);
        return Configure(builder, (options, _) => options.Server = name);
    }

    /// <summary>Adds a handler between the client and its endpoint; the first one is the outermost.</summary>
    /// <typeparam name="THandler">The type of the handler; a service, or created with services.</typeparam>
    /// <param name="builder">The client.</param>
    /// <returns>The builder.</returns>
    /// <remarks>The client creates it once.</remarks>
    public static ICoapClientBuilder AddHandler<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
        this ICoapClientBuilder builder)
        where THandler : class, ICoapClientHandler
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.TryAddTransient<THandler>();
        return Configure(builder, static (options, _) => options.Handlers.Add(static services => services.GetRequiredService<THandler>()));
    }
}
