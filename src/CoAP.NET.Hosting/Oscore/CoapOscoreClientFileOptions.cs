using CoAP.NET.Oscore;

namespace CoAP.NET.Hosting;

/// <summary>OSCORE of a hosted client (RFC 8613): with which security context its requests to one server are protected.</summary>
public sealed class CoapOscoreClientFileOptions
{
    /// <summary>
    /// A file with one security context, as <see cref="OscoreContextFile"/> reads it: JSON, or a directory of aiocoap. Checked when
    /// the application starts, and opened when the client is first asked for. Default null: requests are not protected.
    /// </summary>
    public string? File { get; set; }

    /// <summary>
    /// The directory of the sequence numbers, which one process at a time may have; made where there is none. Default null: the directory
    /// <c>FILE.state</c> beside the file. A directory of aiocoap keeps its own numbers in any case.
    /// </summary>
    public string? Store { get; set; }

    /// <summary>
    /// Requests to which server are protected: scheme, host and port, such as <c>coap://door.example</c>. Of a server behind a proxy its
    /// own. Default null: that of <see cref="CoapClientOptions.BaseAddress"/>.
    /// </summary>
    public string? Uri { get; set; }
}
