using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Http.Hosting;

/// <summary>A proxy that code added to a server.</summary>
internal sealed class ProxyRegistration(string name) : HostedRegistration(HostedRegistration.Proxy, "Proxies", name);
