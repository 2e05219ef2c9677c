using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Cluster;

/// <summary>What <c>AddCoapCluster</c> gives: it is told where the state is kept.</summary>
public interface ICoapClusterBuilder
{
    /// <summary>Where services are registered.</summary>
    IServiceCollection Services { get; }
}
