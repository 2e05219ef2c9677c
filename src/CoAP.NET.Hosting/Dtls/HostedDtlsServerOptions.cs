using CoAP.NET.Dtls;

namespace CoAP.NET.Hosting;

/// <summary>The section <c>Dtls</c> of a hosted server.</summary>
internal sealed class HostedDtlsServerOptions : CoapDtlsServerFileOptions
{
    /// <summary>The errors of configuration.</summary>
    internal ConfigurationErrors Findings { get; } = new();
}
