using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>A client that code added to the services.</summary>
internal sealed class ClientRegistration(string name)
{
    public string Name => name;

    /// <summary>The given section; null for the default one.</summary>
    public IConfiguration? Section { get; set; }

    /// <summary>The default path of its section.</summary>
    public string DefaultPath => Name.Length == 0 ? "Coap:Client" : $"Coap:Clients:{Name}";

    /// <summary>The name of the section in messages.</summary>
    public string SectionPath => Section is IConfigurationSection { Path: var path } ? path : DefaultPath;

    /// <summary>The name of the client in messages.</summary>
    public string Title => Name.Length == 0 ? "The CoAP client" : $"The CoAP client '{Name}'";
}
