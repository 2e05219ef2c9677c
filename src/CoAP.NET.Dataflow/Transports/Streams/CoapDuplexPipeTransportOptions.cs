namespace CoAP.NET;

/// <summary>Configures a <see cref="CoapDuplexPipeTransport"/>.</summary>
/// <remarks>Read-only once a transport uses them. <see cref="CoapLimits"/> has the sizes and numbers.</remarks>
[HasSettings]
public sealed partial class CoapDuplexPipeTransportOptions
{
    /// <summary>
    /// Whether the underlying connection is protected, so the scheme is <c>coaps+tcp</c> and <c>RequireTransportSecurity()</c> is
    /// satisfied. Default false: <c>coap+tcp</c>.
    /// </summary>
    public partial bool IsSecure { get; set; }

    /// <summary>Opens a connection for requests to an address. Default null: the transport cannot open connections.</summary>
    /// <remarks>
    /// The address is that of the request's URI. For a pipe without an address, use an invented address of <c>fd00::/8</c>. Several callers
    /// call it at a time. It is cancelled after <see cref="CoapStreamOptions.ConnectTimeout"/>.
    /// </remarks>
    public partial Func<CoapAddress, CancellationToken, ValueTask<CoapDuplexPipe>>? Connect { get; set; }

    /// <summary>Waits for the next incoming connection. Default null: peers cannot connect.</summary>
    /// <remarks>
    /// One caller at a time calls it, again as soon as it has returned, until the transport is disposed, which cancels it. When it throws,
    /// the transport logs and counts the failure (<c>AcceptFailures</c>) and calls it again after a pause.
    /// </remarks>
    public partial Func<CancellationToken, ValueTask<CoapDuplexPipe>>? Accept { get; set; }

    /// <summary>The timeouts for opening connections and for silent peers. Default: all defaults.</summary>
    public partial CoapStreamOptions Streams { get; set; } = new();
}
