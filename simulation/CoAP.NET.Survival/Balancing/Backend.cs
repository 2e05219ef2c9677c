using System.Net;

namespace CoAP.NET.Survival.Balancing;

/// <summary>A server behind the balancer.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Address">Where it takes datagrams, over IPv4.</param>
public sealed record Backend(string Name, IPEndPoint Address);
