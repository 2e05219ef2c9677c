using CoAP.NET.Settings;

namespace CoAP.NET.AspNetCore;

/// <summary>Options of a path that serves a resource of a CoAP server.</summary>
[HasSettings]
public sealed partial class CoapHttpResourceOptions : CoapHttpToCoapOptions
{
    /// <summary>
    /// Sends the requests to the CoAP server. Default null: the <see cref="ICoapClient"/> or <see cref="CoapClient"/> of the container, or
    /// a new one if there is none.
    /// </summary>
    public partial ICoapClient? Client { get; set; }
}
