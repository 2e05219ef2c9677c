namespace CoAP.NET.Transports;

/// <summary>
/// How a <see cref="CoapDuplexPipeTransport"/> works. Mutable until the transport is made, which copies it. Sizes and numbers are in
/// <see cref="CoapLimits"/>.
/// </summary>
public sealed class CoapDuplexPipeTransportOptions
{
    /// <summary>
    /// Whether what carries the bytes protects them, so that the scheme is <c>coaps+tcp</c> and <c>RequireTransportSecurity()</c> is
    /// satisfied. Default false: <c>coap+tcp</c>.
    /// </summary>
    public bool IsSecure { get; set; }

    /// <summary>
    /// Opens a connection for requests to an address. The address is that of the request's URI: of a pipe that has none, an invented one of
    /// <c>fd00::/8</c>. Called by several callers at a time. It is cancelled after <see cref="CoapStreamOptions.ConnectTimeout"/>. Default
    /// null: no connection can be opened.
    /// </summary>
    public Func<CoapAddress, CancellationToken, ValueTask<CoapDuplexPipe>>? Connect { get; set; }

    /// <summary>
    /// Waits for the next peer that connects. Called again as soon as it has returned, by one caller at a time, until the transport is
    /// disposed, which cancels it. When it throws, the failure is logged and counted (<see cref="CoapCounter.AcceptFailures"/>), and it is
    /// called again after a pause. Default null: nobody can connect.
    /// </summary>
    public Func<CancellationToken, ValueTask<CoapDuplexPipe>>? Accept { get; set; }

    /// <summary>How long opening and silent peers may take. Default: all defaults.</summary>
    public CoapStreamOptions Streams { get; set; } = new();

    internal CoapDuplexPipeTransportOptions Clone()
    {
        CoapDuplexPipeTransportOptions copy = (CoapDuplexPipeTransportOptions)MemberwiseClone();
        copy.Streams = Streams.Clone();
        return copy;
    }
}
