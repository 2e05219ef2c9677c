using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>What <c>AddCoapClient</c> gives: a client to be.</summary>
public interface ICoapClientBuilder
{
    /// <summary>The name of the client; empty for the one without a name.</summary>
    string Name { get; }

    /// <summary>Where services are registered.</summary>
    IServiceCollection Services { get; }
}
