namespace CoAP.NET.AspNetCore;

/// <summary>How a path of a web application serves a resource of a CoAP server.</summary>
public sealed class CoapHttpResourceOptions : CoapHttpExchangeOptions
{
    /// <summary>
    /// What asks the CoAP server. Default null: the <see cref="CoapClient"/> of the container, or one of its own if there is none.
    /// </summary>
    public ICoapObserver? Client { get; set; }
}
