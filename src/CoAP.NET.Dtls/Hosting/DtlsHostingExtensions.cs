using CoAP.NET.Dtls;
using CoAP.NET.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds DTLS, for <c>coaps</c> (RFC 7252 section 9), to hosted servers and clients.</summary>
public static class DtlsHostingExtensions
{
    /// <summary>Lets a server use <c>coaps</c>, with pre-shared keys and certificates.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options, after the section <c>Dtls</c> of the server's configuration; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// For settings that the options cannot express, call <see cref="CoapDtlsEndpointExtensions.UseDtls"/> on the options of the endpoint
    /// instead; not both.
    /// </remarks>
    public static ICoapServerBuilder UseDtls(this ICoapServerBuilder builder, Action<CoapDtlsServerFileOptions>? configure = null) =>
        builder.AddPart(static (services, server) => new DtlsServerPart(services, server), DtlsKeys.ServerTable,
            static options => options.Findings, configure);

    /// <summary>Lets a client use <c>coaps</c>, with a pre-shared key or certificate.</summary>
    /// <param name="builder">The client.</param>
    /// <param name="configure">Sets options, after the section <c>Dtls</c> of the client's configuration; null for none.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// For settings that the options cannot express, call <see cref="CoapDtlsEndpointExtensions.UseDtls"/> on the options of the endpoint
    /// instead; not both.
    /// </remarks>
    public static ICoapClientBuilder UseDtls(this ICoapClientBuilder builder, Action<CoapDtlsClientFileOptions>? configure = null) =>
        builder.AddPart(static (services, client) => new DtlsClientPart(services, client), DtlsKeys.ClientTable,
            static options => options.Findings, configure);
}
