using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Cluster;

/// <summary>The result of <c>AddCoapState</c>, which selects the store of the state.</summary>
public interface ICoapClusterBuilder
{
    /// <summary>The services of the application.</summary>
    IServiceCollection Services { get; }
}
