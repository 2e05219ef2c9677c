using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>A server that was added to the services: what is known of it before it is made, and afterwards how it is.</summary>
internal sealed class ServerRegistration
{
    public ServerRegistration(string name, IConfiguration? section)
    {
        Name = name;
        Section = section;

        Health = new ServerHealthCheck(this);

        // The first filter of all, so that those of the user have the services too.
        Routes.Routes.AddFilterFactory((_, next) => (request, cancellationToken) => Scopes.ServeAsync(request, next, cancellationToken),
            beforeBody: true);
    }

    public string Name { get; }

    /// <summary>The section that was given; null for the one that the name says.</summary>
    public IConfiguration? Section { get; set; }

    public CoapRoutes Routes { get; } = new();

    public RequestScopes Scopes { get; } = new();

    /// <summary>How it is now.</summary>
    public ServerLife Life { get; } = new();

    /// <summary>What is called before it listens.</summary>
    public StartPreparations Preparations { get; } = new();

    /// <summary>Its health check.</summary>
    public ServerHealthCheck Health { get; }

    /// <summary>Where its section is when none was given.</summary>
    public string DefaultPath => Name.Length == 0 ? "Coap:Server" : $"Coap:Servers:{Name}";

    /// <summary>What messages call the section.</summary>
    public string SectionPath => Section is IConfigurationSection { Path: var path } ? path : DefaultPath;

    /// <summary>What messages call the server.</summary>
    public string Title => Name.Length == 0 ? "The CoAP server" : $"The CoAP server '{Name}'";
}
