using CoAP.NET.Dtls.Files;
using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Hosting.Dtls;

/// <summary>The section <c>Dtls</c> of a hosted client.</summary>
internal sealed class HostedDtlsClientOptions : CoapDtlsClientFileOptions
{
    /// <summary>The errors of configuration.</summary>
    internal ConfigurationErrors Findings { get; } = new();
}
