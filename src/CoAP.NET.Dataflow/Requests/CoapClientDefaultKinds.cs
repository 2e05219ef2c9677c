namespace CoAP.NET;

/// <summary>The kinds of client defaults that a request can ignore (<see cref="CoapRequest.IgnoredDefaults"/>).</summary>
[Flags]
public enum CoapClientDefaultKinds
{
    /// <summary>None of them.</summary>
    None = 0,

    /// <summary>Accept: the request then accepts any Content-Format.</summary>
    Accept = 1,

    /// <summary>Timeout: the times of the transmission parameters then apply.</summary>
    Timeout = 2,

    /// <summary>Proxy: the request then goes to the server directly.</summary>
    Proxy = 4,

    /// <summary>Confirmable: <see cref="CoapRequest.Confirmable"/> of the request then decides.</summary>
    Confirmable = 8,

    /// <summary>All of them. The base address is not one of them, because an absolute URI does not use it.</summary>
    All = Accept | Timeout | Proxy | Confirmable,
}
