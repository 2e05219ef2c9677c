using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>A server that code added to the services: its settings before its creation, and its state afterwards.</summary>
internal sealed class ServerRegistration
{
    public ServerRegistration(string name, IConfiguration? section)
    {
        Name = name;
        Section = section;

        Health = new ServerHealthCheck(this);

        // The first filter of all, so that the user's filters have the services too.
        Routes.Routes.AddFilterFactory((_, next) => (request, cancellationToken) => Scopes.ServeAsync(request, next, cancellationToken),
            beforeBody: true);
    }

    public string Name { get; }

    /// <summary>The given section; null for the default one.</summary>
    public IConfiguration? Section { get; set; }

    public CoapRoutes Routes { get; } = new();

    public RequestScopes Scopes { get; } = new();

    /// <summary>Its state.</summary>
    public ServerLife Life { get; } = new();

    /// <summary>The functions that run before it listens.</summary>
    public StartPreparations Preparations { get; } = new();

    /// <summary>Its health check.</summary>
    public ServerHealthCheck Health { get; }

    /// <summary>The default path of its section.</summary>
    public string DefaultPath => Name.Length == 0 ? "Coap:Server" : $"Coap:Servers:{Name}";

    /// <summary>The name of the section in messages.</summary>
    public string SectionPath => Section is IConfigurationSection { Path: var path } ? path : DefaultPath;

    /// <summary>The name of the server in messages.</summary>
    public string Title => Name.Length == 0 ? "The CoAP server" : $"The CoAP server '{Name}'";
}
