using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>OSCORE of a hosted client (RFC 8613): the security context of its requests to one server.</summary>
internal sealed class CoapOscoreClientFileOptions
{
    /// <summary>
    /// A file with one security context, in the format of <see cref="OscoreContextFile"/>: JSON, or a directory of aiocoap.
    /// </summary>
    /// <remarks>
    /// The application checks it when it starts, and opens it on the first use of the client. Default null: no protection.
    /// </remarks>
    public string? File { get; set; }

    /// <summary>The directory of the sequence numbers, which only one process at a time may use; created if missing.</summary>
    /// <remarks>
    /// Default null: the directory <c>FILE.state</c> next to the file. A directory of aiocoap always keeps its own numbers.
    /// </remarks>
    public string? Store { get; set; }

    /// <summary>The server whose requests OSCORE protects: scheme, host and port, such as <c>coap://door.example</c>.</summary>
    /// <remarks>For a server behind a proxy, its own. Default null: that of the client's base address.</remarks>
    public CoapUri? Uri { get; set; }

    internal ConfigurationErrors Findings { get; } = new();
}
