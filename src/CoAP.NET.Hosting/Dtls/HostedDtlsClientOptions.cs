using CoAP.NET.Dtls;

namespace CoAP.NET.Hosting;

/// <summary>The section <c>Dtls</c> of a hosted client.</summary>
internal sealed class HostedDtlsClientOptions : CoapDtlsClientFileOptions
{
    /// <summary>The errors of configuration.</summary>
    internal ConfigurationErrors Findings { get; } = new();
}
