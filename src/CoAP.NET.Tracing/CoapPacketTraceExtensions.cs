using CoAP.NET.Execution;

namespace CoAP.NET.Tracing;

/// <summary>Traces of endpoints.</summary>
public static class CoapPacketTraceExtensions
{
    /// <summary>
    /// Writes the received and sent messages of one peer or of all peers to a stream in the pcapng format, until the trace is disposed.
    /// </summary>
    /// <remarks>
    /// Traces may start and end while the endpoint runs, also several at a time. The trace blanks payloads unless the options say
    /// otherwise. Receiving never waits for the stream.
    /// </remarks>
    /// <param name="endpoint">The endpoint, as of <see cref="CoapServer.Endpoint"/>.</param>
    /// <param name="stream">The stream to write to, by one thread at a time; it stays open.</param>
    /// <param name="options">Which messages and how many; null: all peers, payloads blanked, at most 64 MiB.</param>
    /// <returns>The trace. Dispose it to end it.</returns>
    /// <exception cref="ArgumentException">The stream is not writable.</exception>
    public static CoapTrace TraceTo(this CoapEndpoint endpoint, Stream stream, CoapTraceOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(stream);
        CoapEnvironment environment = endpoint.Environment;
        return stream.CanWrite
            ? new CoapTrace(stream, options ?? new CoapTraceOptions(), environment.TimeProvider, environment.Taps,
                endpoint.Core.Diagnostics.ReportTrace)
            : throw new ArgumentException("The stream cannot be written.", nameof(stream));
    }
}
