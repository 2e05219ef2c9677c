using CoAP.NET;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Dtls;
using CoAP.NET.Hosting.Parts;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds DTLS, for <c>coaps</c> (RFC 7252 section 9), to hosted servers and clients.</summary>
public static class DtlsHostingExtensions
{
    /// <summary>Lets a server use <c>coaps</c>, with pre-shared keys and certificates of its configuration (section <c>Dtls</c>).</summary>
    /// <param name="builder">The server.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// For settings in code, such as keys in a database, call <see cref="CoapDtlsExtensions.UseDtls"/> on the options of the endpoint
    /// instead; not both.
    /// </remarks>
    public static ICoapServerBuilder UseDtls(this ICoapServerBuilder builder) => UseDtls(builder, null);

    /// <summary>Lets a client use <c>coaps</c>, with the pre-shared key or certificate of its configuration (section
    /// <c>Dtls</c>).</summary>
    /// <param name="builder">The client.</param>
    /// <returns>The builder.</returns>
    /// <remarks>
    /// For settings in code call <see cref="CoapDtlsExtensions.UseDtls"/> or <see cref="CoapDtlsExtensions"/>.<c>UsePsk</c> on the
    /// options of the endpoint instead; not both.
    /// </remarks>
    public static ICoapClientBuilder UseDtls(this ICoapClientBuilder builder) => UseDtls(builder, null);

    internal static ICoapServerBuilder UseDtls(this ICoapServerBuilder builder, Action<HostedDtlsServerOptions>? configure) =>
        builder.AddPart(static (services, server) => new DtlsServerConfigurator(services, server), DtlsConfigurationKeys.ServerTable,
            static options => options.Findings, configure);

    internal static ICoapClientBuilder UseDtls(this ICoapClientBuilder builder, Action<HostedDtlsClientOptions>? configure) =>
        builder.AddPart(static (services, client) => new DtlsClientConfigurator(services, client), DtlsConfigurationKeys.ClientTable,
            static options => options.Findings, configure);
}
