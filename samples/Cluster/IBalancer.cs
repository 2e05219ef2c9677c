using System.Net;

namespace ClusterSample;

/// <summary>A UDP load balancer before the servers.</summary>
internal interface IBalancer : IAsyncDisposable
{
    /// <summary>Where clients send to.</summary>
    IPEndPoint Address { get; }
}
