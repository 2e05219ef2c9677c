namespace CoAP.NET.Hosting;

/// <summary>A client that code added to the services.</summary>
internal sealed class ClientRegistration(string name) : HostedRegistration(HostedRegistration.Client, "Clients", name);
