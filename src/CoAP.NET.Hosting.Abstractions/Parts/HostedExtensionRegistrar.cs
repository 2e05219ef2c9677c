using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Hosting.Configuration;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting.Parts;

/// <summary>Adds parts with their options to hosted servers and clients, and finds options.</summary>
internal static class HostedExtensionRegistrar
{
    /// <summary>Adds a part to a server, and its options; a second call only configures them.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="make">Creates the part with the services of the application.</param>
    /// <param name="table">The keys of its options in the section of the server.</param>
    /// <param name="findings">Returns where the options keep errors of configuration.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder.</returns>
    public static ICoapServerBuilder AddPart<TPart, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TOptions>(
        this ICoapServerBuilder builder,
        Func<IServiceProvider, HostedRegistration, TPart> make, ConfigurationSectionReader<TOptions> table,
        Func<TOptions, ConfigurationErrors> findings,
        Action<TOptions>? configure)
        where TPart : HostedServerExtension
        where TOptions : class
    {
        ArgumentNullException.ThrowIfNull(builder);
        HostedRegistration server = HostedRegistration.Get(builder.Services, HostedRegistration.Server, builder.Name);
        Add<HostedServerExtension, TPart, TOptions>(builder.Services, server, make, table, findings, configure);
        return builder;
    }

    /// <summary>Adds a part to a client, and its options; a second call only configures them.</summary>
    /// <param name="builder">The client.</param>
    /// <param name="make">Creates the part with the services of the application.</param>
    /// <param name="table">The keys of its options in the section of the client.</param>
    /// <param name="findings">Returns where the options keep errors of configuration.</param>
    /// <param name="configure">Sets options, after configuration; null for none.</param>
    /// <returns>The builder.</returns>
    public static ICoapClientBuilder AddPart<TPart, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TOptions>(
        this ICoapClientBuilder builder,
        Func<IServiceProvider, HostedRegistration, TPart> make, ConfigurationSectionReader<TOptions> table,
        Func<TOptions, ConfigurationErrors> findings,
        Action<TOptions>? configure)
        where TPart : HostedClientExtension
        where TOptions : class
    {
        ArgumentNullException.ThrowIfNull(builder);
        HostedRegistration client = HostedRegistration.Get(builder.Services, HostedRegistration.Client, builder.Name);
        Add<HostedClientExtension, TPart, TOptions>(builder.Services, client, make, table, findings, configure);
        return builder;
    }

    /// <summary>Adds a part without options in the section of the server or client; a second call changes nothing.</summary>
    /// <typeparam name="TKind"><see cref="HostedServerExtension"/> or <see cref="HostedClientExtension"/>.</typeparam>
    /// <typeparam name="TPart">The type of the part; a keyed service by the name of the server or client.</typeparam>
    /// <param name="services">The services of the application.</param>
    /// <param name="name">The name of the server or client.</param>
    /// <param name="make">Creates the part with the services of the application.</param>
    /// <returns>Whether the part is new.</returns>
    public static bool TryAddPart<TKind, TPart>(this IServiceCollection services, string name, Func<IServiceProvider, TPart> make)
        where TKind : HostedEndpointExtension
        where TPart : class, TKind
    {
        if (services.Any(service => service.ServiceType == typeof(TPart) && name.Equals(service.ServiceKey)))
        {
            return false;
        }

        services.AddKeyedSingleton(name, (provider, _) => make(provider));
        services.AddKeyedSingleton<TKind>(name, static (provider, key) => provider.GetRequiredKeyedService<TPart>(key));
        return true;
    }

    /// <summary>Adds options that configuration sets before any code.</summary>
    /// <param name="services">The services of the application.</param>
    /// <param name="registration">The server, client or proxy; the options have its name.</param>
    /// <param name="read">Reads its section into the options, with the services.</param>
    public static void AddOptionsOf<TOptions>(
        this IServiceCollection services, HostedRegistration registration, Action<IConfiguration, TOptions, IServiceProvider> read)
        where TOptions : class =>
        services.AddSingleton<IConfigureOptions<TOptions>>(
            provider => new ConfigureFromSection<TOptions>(registration, provider, read));

    /// <summary>Returns the options of a server, client, proxy or cluster.</summary>
    /// <exception cref="OptionsValidationException">
    /// They have faults. The exception has the faults of all options that the application validates at its start: a hosted service that
    /// injects a client needs its options before that.
    /// </exception>
    public static TOptions OptionsOf<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
        this IServiceProvider services, string name)
        where TOptions : class
    {
        try
        {
            return services.GetRequiredService<IOptionsMonitor<TOptions>>().Get(name);
        }
        catch (OptionsValidationException exception)
        {
            throw new OptionsValidationException(
                exception.OptionsName, exception.OptionsType, exception.Failures.Union(StartupFailuresOf(services)));
        }
    }

    private static IEnumerable<string> StartupFailuresOf(IServiceProvider services)
    {
        try
        {
            services.GetService<IStartupValidator>()?.Validate();
            return [];
        }
        catch (OptionsValidationException exception)
        {
            return exception.Failures;
        }
        catch (AggregateException exception)
        {
            return exception.InnerExceptions.OfType<OptionsValidationException>().SelectMany(static one => one.Failures);
        }
#pragma warning disable CA1031 // whatever the reason: code that sets options failed, or needs what is being created
        catch (Exception)
#pragma warning restore CA1031
        {
            return [];
        }
    }

    private static void Add<TKind, TPart, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TOptions>(
        IServiceCollection services, HostedRegistration registration, Func<IServiceProvider, HostedRegistration, TPart> make,
        ConfigurationSectionReader<TOptions> table, Func<TOptions, ConfigurationErrors> findings, Action<TOptions>? configure)
        where TKind : HostedEndpointExtension
        where TPart : class, TKind
        where TOptions : class
    {
        if (services.TryAddPart<TKind, TPart>(registration.Name, provider => make(provider, registration)))
        {
            services.AddOptions();
            services.AddOptionsOf<TOptions>(
                registration, (section, options, _) => table.ReadKnown(section, options, findings(options)));
        }

        if (configure is not null)
        {
            services.Configure(registration.Name, configure);
        }
    }

    private sealed class ConfigureFromSection<TOptions>(
        HostedRegistration registration, IServiceProvider services, Action<IConfiguration, TOptions, IServiceProvider> read)
        : IConfigureNamedOptions<TOptions>
        where TOptions : class
    {
        public void Configure(string? name, TOptions options)
        {
            if (name == registration.Name && registration.SectionIn(services) is { } section)
            {
                read(section, options, services);
            }
        }

        public void Configure(TOptions options) => Configure("", options);
    }
}
