using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Hosting.Parts;

/// <summary>
/// The base of the parts that packages add to a hosted server or client. The container creates one for each of them, and hosting runs them
/// in the order in which code added them.
/// </summary>
internal abstract class HostedEndpointExtension
{
    /// <summary>The name of its section below that of the server or client, such as <c>Dtls</c>; null if it has none there.</summary>
    public virtual string? Section => null;

    /// <summary>The keys of its section, with its name.</summary>
    public virtual IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => [];

    /// <summary>The files with secret keys that only the application should read, by the keys that name them.</summary>
    public virtual IEnumerable<(string Key, string? Path)> KeyFiles => [];
}
