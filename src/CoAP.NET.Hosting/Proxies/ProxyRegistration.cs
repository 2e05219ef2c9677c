using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>A proxy that code added to a server.</summary>
/// <param name="name">The name of the server.</param>
internal sealed class ProxyRegistration(string name)
{
    public string Name => name;

    /// <summary>The given section; null for the default one.</summary>
    public IConfiguration? Section { get; set; }

    /// <summary>The default path of its section.</summary>
    public string DefaultPath => name.Length == 0 ? "Coap:Proxy" : $"Coap:Proxies:{name}";

    /// <summary>The name of the section in messages.</summary>
    public string SectionPath => Section is IConfigurationSection { Path: var path } ? path : DefaultPath;
}
