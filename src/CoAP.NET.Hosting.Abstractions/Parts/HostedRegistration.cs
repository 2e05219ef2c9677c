using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Parts;

/// <summary>A server, client or proxy that code added to the services: its name, and its configuration section.</summary>
/// <param name="kind">The name of its kind in messages, such as <c>server</c>.</param>
/// <param name="plural">The section of all that have names, such as <c>Servers</c>.</param>
/// <param name="name">The name; empty for the one without a name.</param>
internal abstract class HostedRegistration(string kind, string plural, string name)
{
    public const string Server = "server";

    public const string Client = "client";

    public const string Proxy = "proxy";

    public string Kind => kind;

    public string Name => name;

    /// <summary>The given section; null for the default one.</summary>
    public IConfiguration? Section { get; set; }

    /// <summary>The default path of its section.</summary>
    public string DefaultPath => name.Length == 0 ? $"Coap:{char.ToUpperInvariant(kind[0])}{kind[1..]}" : $"Coap:{plural}:{name}";

    /// <summary>The name of the section in messages.</summary>
    public string SectionPath => Section is IConfigurationSection { Path: var path } ? path : DefaultPath;

    /// <summary>Its name in messages.</summary>
    public string Title => name.Length == 0 ? $"The CoAP {kind}" : $"The CoAP {kind} '{name}'";

    /// <summary>Returns its section; null without configuration.</summary>
    public IConfiguration? SectionIn(IServiceProvider services) =>
        Section ?? services.GetService<IConfiguration>()?.GetSection(DefaultPath);

    /// <summary>Finds a registration in the services of an application; null if there is none.</summary>
    public static T? Find<T>(IServiceCollection services, string name)
        where T : HostedRegistration => services
            .Select(static service => service.IsKeyedService ? null : service.ImplementationInstance as T)
            .FirstOrDefault(found => found?.Name == name);

    /// <summary>Returns a registration in the services of an application.</summary>
    /// <exception cref="ArgumentException">There is none.</exception>
    public static HostedRegistration Get(IServiceCollection services, string kind, string name) => services
        .Select(static service => service.IsKeyedService ? null : service.ImplementationInstance as HostedRegistration)
        .FirstOrDefault(found => found?.Kind == kind && found.Name == name)
        ?? throw new ArgumentException($"No {kind} was added by the name '{name}'.", nameof(name));
}
