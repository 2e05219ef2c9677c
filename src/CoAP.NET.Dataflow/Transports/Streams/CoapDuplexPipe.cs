using System.IO.Pipelines;
using System.Net;

namespace CoAP.NET;

/// <summary>A duplex byte stream that a <see cref="CoapDuplexPipeTransport"/> uses as one connection.</summary>
/// <remarks>
/// It consists of two pipes, or of a <see cref="Stream"/> such as a named pipe, a serial port or a channel of SSH. RFC 8323 section 3.2
/// defines the bytes.
/// </remarks>
public sealed class CoapDuplexPipe : IDuplexPipe
{
    /// <summary>Creates a connection from two pipes. Both are completed when the connection has ended.</summary>
    /// <param name="input">The bytes from the peer.</param>
    /// <param name="output">The bytes to the peer. Completing it signals the end to the peer.</param>
    public CoapDuplexPipe(PipeReader input, PipeWriter output)
    {
        ArgumentNullException.ThrowIfNull(input);
        ArgumentNullException.ThrowIfNull(output);
        Input = input;
        Output = output;
    }

    /// <inheritdoc/>
    public PipeReader Input { get; }

    /// <inheritdoc/>
    public PipeWriter Output { get; }

    /// <summary>The peer's address, for connections that <see cref="CoapDuplexPipeTransportOptions.Accept"/> returns.</summary>
    /// <remarks>
    /// Limits such as <see cref="CoapConnectionLimits.MaxCountPerSource"/> use it. Default <c>0.0.0.0:0</c>: unknown, so all such peers
    /// count as one source. A connection that was opened for a request has the address of the request's URI instead.
    /// </remarks>
    public IPEndPoint Remote { get; init; } = new(IPAddress.Any, 0);

    /// <summary>The local address. Default <c>0.0.0.0:0</c>: unknown.</summary>
    public IPEndPoint Local { get; init; } = new(IPAddress.Any, 0);

    /// <summary>
    /// The identity of the peer that a lower layer has verified, which <see cref="CoapPeer.Identity"/> returns. Default null: unknown.
    /// </summary>
    public ICoapPeerIdentity? Identity { get; init; }

    /// <summary>The host name that the client requested, if a lower layer reports it. Default null: the local address.</summary>
    /// <remarks>
    /// Requests without Uri-Host refer to it (RFC 8323 section 8.5). Only for accepted connections: a connection that was opened for a
    /// request has the host name of the request's URI.
    /// </remarks>
    public string? ServerName { get; init; }

    /// <summary>Immediately closes the underlying connection. Default null: completing the pipes is enough.</summary>
    /// <remarks>The endpoint calls it when the connection does not end in order, possibly more than once. It must not throw.</remarks>
    public Action? Abort { get; init; }

    /// <summary>Creates a connection from a stream that supports reading and writing at the same time.</summary>
    /// <remarks>The stream is disposed when the local side has ended, because a stream cannot be closed in one direction only.</remarks>
    /// <param name="stream">The stream; the connection owns it from now on.</param>
    /// <param name="identity">The identity of the peer that a lower layer has verified; null when unknown.</param>
    /// <returns>The connection.</returns>
    /// <exception cref="ArgumentException"><paramref name="stream"/> is not readable or not writable.</exception>
    public static CoapDuplexPipe FromStream(Stream stream, ICoapPeerIdentity? identity = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (!stream.CanRead || !stream.CanWrite)
        {
            throw new ArgumentException("The stream is not readable and writable. Pass a duplex stream.", nameof(stream));
        }

        return new CoapDuplexPipe(PipeReader.Create(stream), PipeWriter.Create(stream)) { Identity = identity, Abort = stream.Dispose };
    }
}
