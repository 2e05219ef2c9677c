using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>A proxy that was added to a server.</summary>
/// <param name="name">The name of the server.</param>
internal sealed class ProxyRegistration(string name)
{
    public string Name => name;

    /// <summary>The section that was given; null for the one that the name says.</summary>
    public IConfiguration? Section { get; set; }

    /// <summary>Where its section is when none was given.</summary>
    public string DefaultPath => name.Length == 0 ? "Coap:Proxy" : $"Coap:Proxies:{name}";

    /// <summary>What messages call the section.</summary>
    public string SectionPath => Section is IConfigurationSection { Path: var path } ? path : DefaultPath;
}
