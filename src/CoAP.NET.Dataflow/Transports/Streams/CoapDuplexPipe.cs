using System.IO.Pipelines;
using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// A byte stream in both directions that a <see cref="CoapDuplexPipeTransport"/> uses as one connection: two pipes, or a
/// <see cref="Stream"/> such as a named pipe, a serial port or a channel of SSH. The bytes on it are those of RFC 8323 section 3.2.
/// </summary>
public sealed class CoapDuplexPipe : IDuplexPipe
{
    /// <summary>Makes a connection of two pipes. Both are completed when the connection has ended.</summary>
    /// <param name="input">What the peer sends.</param>
    /// <param name="output">What is sent to the peer. Completing it tells the peer that nothing more follows.</param>
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

    /// <summary>
    /// The peer's address, for connections that <see cref="CoapDuplexPipeTransportOptions.Accept"/> returns. Bounds such as
    /// <see cref="CoapLimits.MaxConnectionsPerAddress"/> count by it. Default <c>0.0.0.0:0</c>: unknown, so that all such peers are counted
    /// as one source. A connection that was opened for a request has the address of the request's URI instead.
    /// </summary>
    public IPEndPoint Remote { get; init; } = new(IPAddress.Any, 0);

    /// <summary>Our address. Default <c>0.0.0.0:0</c>: unknown.</summary>
    public IPEndPoint Local { get; init; } = new(IPAddress.Any, 0);

    /// <summary>Who the peer is, as it was proven below: what <see cref="CoapPeer.Identity"/> returns. Default null: unknown.</summary>
    public object? Identity { get; init; }

    /// <summary>
    /// The host name that the client asked for, where what lies below tells it: what requests without Uri-Host mean (RFC 8323 section 8.5).
    /// Only for connections that were accepted; one that was opened for a request has the name of the request's URI. Default null: our
    /// address.
    /// </summary>
    public string? ServerName { get; init; }

    /// <summary>
    /// Closes what carries the pipes at once. Called when the connection does not end in order; it may be called more than once and must
    /// not throw. Default null: completing the pipes is enough.
    /// </summary>
    public Action? Abort { get; init; }

    /// <summary>
    /// Makes a connection of a stream that can be read and written at the same time. The stream is disposed when our side has ended, since
    /// a stream cannot be closed in one direction only.
    /// </summary>
    /// <param name="stream">The stream; owned by the connection from now on.</param>
    /// <param name="identity">Who the peer is, as it was proven below; null when unknown.</param>
    /// <returns>The connection.</returns>
    /// <exception cref="ArgumentException">The stream cannot be read or cannot be written.</exception>
    public static CoapDuplexPipe FromStream(Stream stream, object? identity = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (!stream.CanRead || !stream.CanWrite)
        {
            throw new ArgumentException("A connection needs a stream that can be read and written.", nameof(stream));
        }

        return new CoapDuplexPipe(PipeReader.Create(stream), PipeWriter.Create(stream)) { Identity = identity, Abort = stream.Dispose };
    }
}
