using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>A client that was added to the services.</summary>
internal sealed class ClientRegistration(string name)
{
    public string Name => name;

    /// <summary>The section that was given; null for the one that the name says.</summary>
    public IConfiguration? Section { get; set; }

    /// <summary>Where its section is when none was given.</summary>
    public string DefaultPath => Name.Length == 0 ? "Coap:Client" : $"Coap:Clients:{Name}";

    /// <summary>What messages call the section.</summary>
    public string SectionPath => Section is IConfigurationSection { Path: var path } ? path : DefaultPath;

    /// <summary>What messages call the client.</summary>
    public string Title => Name.Length == 0 ? "The CoAP client" : $"The CoAP client '{Name}'";
}
