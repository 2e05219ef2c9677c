using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>The result of <c>AddCoapClient</c>: the builder of a client.</summary>
public interface ICoapClientBuilder
{
    /// <summary>The name of the client; empty for the one without a name.</summary>
    string Name { get; }

    /// <summary>The services of the application.</summary>
    IServiceCollection Services { get; }
}
