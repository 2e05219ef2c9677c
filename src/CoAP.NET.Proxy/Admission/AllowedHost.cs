using System.Net;

namespace CoAP.NET.Proxy.Admission;

/// <summary>A host that a proxy may send to; see <see cref="CoapProxyTargets.AllowHost"/>.</summary>
/// <param name="Name">Its name; <c>*.</c> and a domain for every name below it, <c>*</c> for every name.</param>
/// <param name="Port">Its ports.</param>
internal readonly record struct AllowedHost(string Name, AllowedPort Port)
{
    /// <summary>Whether a name is one of these, in any case.</summary>
    /// <param name="name">The name without a dot at its end.</param>
    public bool Matches(string name) =>
        Name == "*"
        || (Name.StartsWith("*.", StringComparison.Ordinal)
            ? name.Length > Name.Length - 1 && name.EndsWith(Name.AsSpan(1), StringComparison.OrdinalIgnoreCase)
            : string.Equals(name, Name, StringComparison.OrdinalIgnoreCase));
}

/// <summary>A network that a proxy may send to; see <see cref="CoapProxyTargets.AllowNetwork(string)"/>.</summary>
/// <param name="Network">The network.</param>
/// <param name="Port">The ports of its addresses.</param>
internal readonly record struct AllowedNetwork(IPNetwork Network, AllowedPort Port);
