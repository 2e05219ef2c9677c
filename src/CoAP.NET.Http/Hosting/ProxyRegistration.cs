namespace CoAP.NET.Hosting;

/// <summary>A proxy that code added to a server.</summary>
/// <param name="name">The name of the server.</param>
internal sealed class ProxyRegistration(string name) : HostedRegistration(HostedRegistration.Proxy, "Proxies", name);
