using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Hosting.Clients;

/// <summary>A client that code added to the services.</summary>
internal sealed class ClientRegistration(string name) : HostedRegistration(HostedRegistration.Client, "Clients", name);
